#include "e2e/apiserver/json.h"

#include <algorithm>
#include <utility>

namespace muster::e2e {
namespace {

// Copying and dumping a DOM recurse in the library, so depth is bounded before it is built.
bool IsDeeper(std::string_view text, int most) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
      continue;
    }
    quoted = c == '"';
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > most) return true;
  }
  return false;
}

template <class Parts>
const Json* AtPath(const Json& object, const Parts& path) {
  const Json* at = &object;
  for (const auto& part : path) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(part);
    if (found == at->end() || found->is_null()) return nullptr;
    at = &*found;
  }
  return at;
}

std::optional<Json> ParseWithin(std::string_view text, int most) {
  if (IsDeeper(text, most)) return std::nullopt;
  Json parsed = Json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return std::nullopt;
  return parsed;
}

Json& FieldOfType(Json& object, std::string_view field, Json::value_t type) {
  if (!object.is_object()) object = Json::object();
  Json& value = object[std::string(field)];
  if (value.type() != type) value = Json(type);
  return value;
}

}  // namespace

const Json* Find(const Json& object, Path path) {
  return AtPath(object, path);
}
const Json* Find(const Json& object, const std::vector<std::string>& path) {
  return AtPath(object, path);
}

const std::string& StringAt(const Json& object, Path path) {
  static const std::string empty;
  const Json* found = Find(object, path);
  return found != nullptr && found->is_string() ? found->get_ref<const std::string&>() : empty;
}

std::optional<std::int64_t> IntAt(const Json& object, Path path) {
  const Json* found = Find(object, path);
  if (found == nullptr || !found->is_number_integer()) return std::nullopt;
  // Beyond what the type holds.
  if (found->is_number_unsigned() && found->get<std::int64_t>() < 0) return std::nullopt;
  return found->get<std::int64_t>();
}

bool BoolAt(const Json& object, Path path) {
  const Json* found = Find(object, path);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

Json& ObjectAt(Json& object, std::string_view field) {
  return FieldOfType(object, field, Json::value_t::object);
}

Json& ArrayAt(Json& object, std::string_view field) {
  return FieldOfType(object, field, Json::value_t::array);
}

void SetDefault(Json& object, std::string_view field, Json value) {
  if (Find(object, {field}) == nullptr) object[std::string(field)] = std::move(value);
}

std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

int DepthOf(const Json& value) {
  int deepest = 0;
  std::vector<std::pair<const Json*, int>> open = {{&value, 1}};
  while (!open.empty()) {
    const auto [at, depth] = open.back();
    open.pop_back();
    if (!at->is_structured()) continue;
    deepest = std::max(deepest, depth);
    for (const Json& child : *at) open.emplace_back(&child, depth + 1);
  }
  return deepest;
}

std::optional<Json> Parse(std::string_view text) {
  return ParseWithin(text, kMaxAnswerDepth);
}

std::optional<Json> ParseSent(std::string_view text) {
  return ParseWithin(text, kMaxObjectDepth);
}

std::vector<std::string> SplitDots(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    if (dot > 0) parts.emplace_back(text.substr(0, dot));
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return parts;
}

}  // namespace muster::e2e
