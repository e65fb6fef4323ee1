#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "e2e/apiserver/schema.h"

namespace muster::e2e {
namespace {

// At the root these are the business of the API machinery, whatever the schema says.
constexpr std::array<std::string_view, 3> kTypeFields = {"apiVersion", "kind", "metadata"};

bool IsTypeField(std::string_view field) {
  return std::ranges::find(kTypeFields, field) != kTypeFields.end();
}

std::string Join(const std::string& path, const std::string& field) {
  return path.empty() ? field : path + "." + field;
}

bool MissingOrNull(const Json& object, const std::string& field, bool nullable) {
  const auto found = object.find(field);
  return found == object.end() || (found->is_null() && !nullable);
}

void PushItems(const SchemaNode& node, const SchemaPlace& at, std::vector<SchemaPlace>& stack) {
  if (!at.value->is_array() || !node.items) return;
  for (std::size_t i = 0; i < at.value->size(); ++i) {
    stack.push_back({&(*at.value)[i], *node.items, at.path + "[" + std::to_string(i) + "]"});
  }
}

// The node of the schema that a field belongs to, if it has one.
std::optional<std::size_t> NodeOf(const SchemaNode& node, const std::string& field) {
  const auto known = node.properties.find(field);
  return known == node.properties.end() ? node.additional : std::optional(known->second);
}

void PruneFields(const SchemaNode& node, const SchemaPlace& at, std::vector<SchemaPlace>& stack,
                 std::vector<std::string>& gone) {
  Json& object = *at.value;
  for (auto field = object.begin(); field != object.end();) {
    const bool type_field = at.node == 0 && IsTypeField(field.key());
    const auto child = NodeOf(node, field.key());
    if (!type_field && !child && !node.keeps_unknown) {
      gone.push_back(Join(at.path, field.key()));
      field = object.erase(field);
      continue;
    }
    if (!type_field && child) stack.push_back({&*field, *child, Join(at.path, field.key())});
    ++field;
  }
}

}  // namespace

void Schema::FillFields(const SchemaNode& node, const SchemaPlace& at,
                        std::vector<SchemaPlace>& stack) const {
  Json& object = *at.value;
  // A null where none is allowed is a field that was left out.
  for (auto field = object.begin(); field != object.end();) {
    const auto child = NodeOf(node, field.key());
    const bool left_out = field->is_null() && child && !nodes_[*child].nullable &&
                          !nodes_[*child].default_value.has_value();
    field = left_out ? object.erase(field) : std::next(field);
  }
  for (const auto& [field, child] : node.properties) {
    const auto& fallback = nodes_[child].default_value;
    if (fallback && MissingOrNull(object, field, nodes_[child].nullable)) {
      object[field] = *fallback;
    }
  }
  for (const auto& [field, value] : object.items()) {
    if (const auto child = NodeOf(node, field)) stack.push_back({&value, *child, ""});
  }
}

std::vector<std::string> Schema::Prune(Json& object) const {
  std::vector<std::string> gone;
  std::vector<SchemaPlace> stack = {{&object, 0, ""}};
  while (!stack.empty()) {
    const SchemaPlace at = std::move(stack.back());
    stack.pop_back();
    PushItems(nodes_[at.node], at, stack);
    if (at.value->is_object()) PruneFields(nodes_[at.node], at, stack, gone);
  }
  std::ranges::sort(gone);
  return gone;
}

void Schema::FillDefaults(Json& object) const {
  std::vector<SchemaPlace> stack = {{&object, 0, ""}};
  while (!stack.empty()) {
    const SchemaPlace at = std::move(stack.back());
    stack.pop_back();
    const SchemaNode& node = nodes_[at.node];
    PushItems(node, at, stack);
    if (at.value->is_object()) FillFields(node, at, stack);
  }
}

}  // namespace muster::e2e
