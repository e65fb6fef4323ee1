#include "e2e/apiserver/field_types.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "crds/time.h"
#include "e2e/apiserver/builtin_fields.h"

namespace muster::e2e {
namespace {

struct TypedPlace {
  Json* value = nullptr;
  const Json* schema = nullptr;
  std::string path;
};

bool FitsInteger(const Json& value, bool narrow) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return false;
  }
  const auto number = value.get<std::int64_t>();
  return !narrow || (number >= std::numeric_limits<std::int32_t>::min() &&
                     number <= std::numeric_limits<std::int32_t>::max());
}

bool FitsText(const Json& value, const std::string& format) {
  if (format == "quantity" && value.is_number()) return true;
  if (!value.is_string()) return false;
  return format != "date-time" || crds::ParseTime(value.get_ref<const std::string&>()).ok();
}

bool Fits(const Json& value, const Json& schema) {
  const std::string& type = StringAt(schema, {"type"});
  const std::string& format = StringAt(schema, {"format"});
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return FitsInteger(value, format == "int32");
  if (type == "string") return FitsText(value, format);
  return value.is_string() || value.is_number_integer();  // x-kubernetes-int-or-string.
}

Json ZeroOf(const Json& schema) {
  const std::string& type = StringAt(schema, {"type"});
  if (type == "object") return Json::object();
  if (type == "array") return Json::array();
  if (type == "boolean") return false;
  if (type == "string") return StringAt(schema, {"format"}) == "quantity" ? "0" : "";
  return 0;
}

// What is below a value that fits.
void Descend(const TypedPlace& at, std::vector<TypedPlace>& open) {
  if (const Json* items = Find(*at.schema, {"items"}); items != nullptr) {
    for (Json& item : *at.value) {
      if (item.is_null()) item = ZeroOf(*items);
      open.push_back({&item, items, at.path});
    }
  }
  if (!at.value->is_object()) return;
  const Json* fields = Find(*at.schema, {"properties"});
  const Json* others = Find(*at.schema, {"additionalProperties"});
  for (const auto& [name, value] : at.value->items()) {
    const Json* field = fields != nullptr ? Find(*fields, {name}) : others;
    if (field == nullptr) continue;
    if (value.is_null() && field == others) value = ZeroOf(*field);
    open.push_back({&value, field, at.path + "." + name});
  }
}

std::string GoName(const Json& value) {
  if (value.is_boolean()) return "bool";
  return value.is_number() ? "number" : value.type_name();
}

// The first place that does not fit; "" = there is none.
std::string Misfit(Json& object, const Json& schema, const std::string& root) {
  std::vector<TypedPlace> open = {{&object, &schema, root}};
  while (!open.empty()) {
    const TypedPlace at = open.back();
    open.pop_back();
    if (at.value->is_null()) continue;
    if (!Fits(*at.value, *at.schema)) {
      return "json: cannot unmarshal " + GoName(*at.value) + " into Go struct field " + at.path +
             " of type " + StringAt(*at.schema, {"type"});
    }
    Descend(at, open);
  }
  return {};
}

const Json& SchemaOfKind(Builtin builtin) {
  static const std::vector<Json> schemas = [] {
    std::vector<Json> all;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(Builtin::kCrd); ++i) {
      all.push_back(BuiltinSchema(static_cast<Builtin>(i)));
    }
    return all;
  }();
  return schemas.at(static_cast<std::size_t>(builtin));
}

}  // namespace

Refusal TakeTypedFields(const Kind& kind, Json& object) {
  static const Json kMeta = MetaSchema();
  std::string wrong = Misfit(ObjectAt(object, "metadata"), kMeta, "ObjectMeta.metadata");
  if (wrong.empty() && !kind.custom()) {
    wrong = Misfit(object, SchemaOfKind(kind.builtin), kind.kind);
  }
  if (wrong.empty()) return std::nullopt;
  return BadRequest(kind.kind + " in version \"" + kind.version + "\" cannot be handled as a " +
                    kind.kind + ": " + wrong);
}

}  // namespace muster::e2e
