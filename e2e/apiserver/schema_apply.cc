#include <algorithm>
#include <array>
#include <utility>

#include "e2e/apiserver/schema.h"

namespace muster::e2e {
namespace {

// At the root these are the business of the API machinery, whatever the schema says.
constexpr std::array<std::string_view, 3> kTypeFields = {"apiVersion", "kind", "metadata"};

bool IsTypeField(std::string_view field) {
  return std::ranges::find(kTypeFields, field) != kTypeFields.end();
}

struct Open {
  Json* value;
  std::size_t node;
  std::string path;
};

std::string Join(const std::string& path, const std::string& field) {
  return path.empty() ? field : path + "." + field;
}

bool MissingOrNull(const Json& object, const std::string& field, bool nullable) {
  const auto found = object.find(field);
  return found == object.end() || (found->is_null() && !nullable);
}

}  // namespace

std::vector<std::string> Schema::Prune(Json& object) const {
  std::vector<std::string> gone;
  std::vector<Open> stack = {{&object, 0, ""}};
  while (!stack.empty()) {
    const Open at = std::move(stack.back());
    stack.pop_back();
    const SchemaNode& node = nodes_[at.node];
    if (at.value->is_array() && node.items) {
      for (std::size_t i = 0; i < at.value->size(); ++i) {
        stack.push_back({&(*at.value)[i], *node.items, at.path + "[" + std::to_string(i) + "]"});
      }
    }
    if (!at.value->is_object()) continue;
    for (auto field = at.value->begin(); field != at.value->end();) {
      const auto known = node.properties.find(field.key());
      const std::string path = Join(at.path, field.key());
      const bool type_field = at.node == 0 && IsTypeField(field.key());
      if (known != node.properties.end() && !type_field) {
        stack.push_back({&*field, known->second, path});
      } else if (node.additional) {
        stack.push_back({&*field, *node.additional, path});
      } else if (!type_field && !node.keeps_unknown) {
        gone.push_back(path);
        field = at.value->erase(field);
        continue;
      }
      ++field;
    }
  }
  std::ranges::sort(gone);
  return gone;
}

void Schema::FillDefaults(Json& object) const {
  std::vector<Open> stack = {{&object, 0, ""}};
  while (!stack.empty()) {
    const Open at = std::move(stack.back());
    stack.pop_back();
    const SchemaNode& node = nodes_[at.node];
    if (at.value->is_array() && node.items) {
      for (Json& item : *at.value) stack.push_back({&item, *node.items, ""});
    }
    if (!at.value->is_object()) continue;
    for (const auto& [field, child] : node.properties) {
      const auto& fallback = nodes_[child].default_value;
      if (fallback && MissingOrNull(*at.value, field, nodes_[child].nullable)) {
        (*at.value)[field] = *fallback;
      }
      const auto found = at.value->find(field);
      if (found != at.value->end()) stack.push_back({&*found, child, ""});
    }
    if (!node.additional) continue;
    for (Json& value : *at.value) stack.push_back({&value, *node.additional, ""});
  }
}

}  // namespace muster::e2e
