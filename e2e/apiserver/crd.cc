#include "e2e/apiserver/crd.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace muster::e2e {
namespace {

Error Bad(const std::string& text) {
  return {Code::kInvalidArgument, text};
}

std::vector<std::string> Strings(const Json& object, Path path) {
  std::vector<std::string> strings;
  const Json* list = Find(object, path);
  if (list == nullptr) return strings;
  for (const Json& item : *list) {
    if (item.is_string()) strings.push_back(item.get<std::string>());
  }
  return strings;
}

Result<std::vector<PrinterColumn>> Columns(const Json& version) {
  std::vector<PrinterColumn> columns;
  const Json* list = Find(version, {"additionalPrinterColumns"});
  if (list == nullptr) {
    MUSTER_ASSIGN(JsonPath created, JsonPath::Parse(".metadata.creationTimestamp"));
    columns.push_back({.name = "Age",
                       .type = "date",
                       .format = "",
                       .description = "",
                       .path = std::move(created)});
    return columns;
  }
  for (const Json& one : *list) {
    MUSTER_ASSIGN(JsonPath path, JsonPath::Parse(StringAt(one, {"jsonPath"})));
    columns.push_back({.name = StringAt(one, {"name"}),
                       .type = StringAt(one, {"type"}),
                       .format = StringAt(one, {"format"}),
                       .description = StringAt(one, {"description"}),
                       .priority = IntAt(one, {"priority"}).value_or(0),
                       .path = std::move(path)});
  }
  return columns;
}

Kind NamesOf(const Json& definition, const Json& version) {
  Kind kind;
  kind.group = StringAt(definition, {"spec", "group"});
  kind.version = StringAt(version, {"name"});
  kind.plural = StringAt(definition, {"spec", "names", "plural"});
  kind.singular = StringAt(definition, {"spec", "names", "singular"});
  kind.kind = StringAt(definition, {"spec", "names", "kind"});
  kind.short_names = Strings(definition, {"spec", "names", "shortNames"});
  kind.categories = Strings(definition, {"spec", "names", "categories"});
  kind.namespaced = StringAt(definition, {"spec", "scope"}) == "Namespaced";
  kind.has_status = Find(version, {"subresources", "status"}) != nullptr;
  kind.counts_generation = true;
  if (const Json* fields = Find(version, {"selectableFields"})) {
    for (const Json& field : *fields) {
      const auto path = SplitDots(StringAt(field, {"jsonPath"}));
      std::string label;
      for (const std::string& part : path) label += (label.empty() ? "" : ".") + part;
      kind.fields.push_back({std::move(label), path});
    }
  }
  return kind;
}

std::string Listed(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) {
    text += (text.empty() ? "" : ", ") + ("unknown field \"" + path + "\"");
  }
  return text;
}

}  // namespace

Result<Kind> KindOfCrd(const Json& definition) {
  if (StringAt(definition, {"kind"}) != "CustomResourceDefinition" ||
      StringAt(definition, {"apiVersion"}) != "apiextensions.k8s.io/v1") {
    return Bad("not a CustomResourceDefinition of apiextensions.k8s.io/v1");
  }
  const Json* versions = Find(definition, {"spec", "versions"});
  if (versions == nullptr || !versions->is_array() || versions->size() != 1) {
    return Bad("spec.versions: this server takes just one version");
  }
  const Json& version = versions->front();
  Kind kind = NamesOf(definition, version);
  const std::string& name = StringAt(definition, {"metadata", "name"});
  if (kind.group.empty() || kind.version.empty() || kind.kind.empty() ||
      name != kind.plural + "." + kind.group) {
    return Bad("metadata.name: must be <plural>.<group>, with version and kind set");
  }
  const Json* open_api = Find(version, {"schema", "openAPIV3Schema"});
  if (open_api == nullptr) return Bad("spec.versions[0].schema.openAPIV3Schema: is missing");
  MUSTER_ASSIGN(Schema schema, Schema::Compile(*open_api));
  MUSTER_ASSIGN(std::vector<PrinterColumn> columns, Columns(version));
  kind.crd = std::make_shared<const CrdVersion>(CrdVersion{
      .schema = std::move(schema), .columns = std::move(columns), .open_api = *open_api});
  return kind;
}

Refusal AdmitCustom(const Kind& kind, Json& object, const CustomWrite& write,
                    std::vector<std::string>& warnings) {
  const Schema& schema = kind.crd->schema;
  const std::vector<std::string> unknown = schema.Prune(object);
  if (!unknown.empty() && write.fields == WriteOptions::Fields::kStrict) {
    return BadRequest(kind.kind + " in version \"" + kind.version + "\" cannot be handled as a " +
                      kind.kind + ": strict decoding error: " + Listed(unknown));
  }
  if (write.fields == WriteOptions::Fields::kWarn) {
    for (const std::string& path : unknown) warnings.push_back("unknown field \"" + path + "\"");
  }
  schema.FillDefaults(object);
  const auto errors = schema.Validate(object, write.old);
  if (errors.empty()) return std::nullopt;
  return Invalid(kind, StringAt(object, {"metadata", "name"}), errors);
}

}  // namespace muster::e2e
