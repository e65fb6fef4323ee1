#include <algorithm>
#include <cmath>
#include <utility>

#include "e2e/apiserver/schema.h"
#include "e2e/apiserver/time_text.h"

namespace muster::e2e {
namespace {

using Errors = std::vector<FieldError>;

constexpr std::size_t kLongestMatched = 4096;  // std::regex recurses once per character.
constexpr const char* kNotAllChecked =
    "some validation rules were not checked because the object was invalid; correct the existing "
    "errors to complete validation";

struct Open {
  const Json* value = nullptr;
  const Json* old = nullptr;  // The same value before the update, if it can be told.
  std::size_t node = 0;
  std::string path{};
};

std::string TypeName(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "object";
    case Json::value_t::array:
      return "array";
    case Json::value_t::string:
      return "string";
    case Json::value_t::boolean:
      return "boolean";
    case Json::value_t::number_float:
      return "number";
    default:
      return "integer";
  }
}

bool IsWhole(const Json& value) {
  if (value.is_number_integer()) return true;
  if (!value.is_number_float()) return false;
  const auto number = value.get<double>();
  return std::abs(number) < 9e15 && number == std::floor(number);
}

bool HasType(SchemaType type, const Json& value) {
  switch (type) {
    case SchemaType::kObject:
      return value.is_object();
    case SchemaType::kArray:
      return value.is_array();
    case SchemaType::kString:
      return value.is_string();
    case SchemaType::kInteger:
      return IsWhole(value);
    case SchemaType::kNumber:
      return value.is_number();
    case SchemaType::kBoolean:
      return value.is_boolean();
    case SchemaType::kIntOrString:
      return value.is_string() || IsWhole(value);
    case SchemaType::kAny:
      return true;
  }
  return false;
}

std::string TypeText(SchemaType type) {
  switch (type) {
    case SchemaType::kObject:
      return "object";
    case SchemaType::kArray:
      return "array";
    case SchemaType::kString:
      return "string";
    case SchemaType::kInteger:
      return "integer";
    case SchemaType::kNumber:
      return "number";
    case SchemaType::kBoolean:
      return "boolean";
    case SchemaType::kIntOrString:
    case SchemaType::kAny:
      break;
  }
  return "integer,string";
}

// In such texts the server leaves "status" out of the path.
std::string InBody(const std::string& path) {
  constexpr std::string_view kStatus = "status.";
  return (path.starts_with(kStatus) ? path.substr(kStatus.size()) : path) + " in body ";
}

FieldError WrongType(const std::string& path, const std::string& type, const Json& value) {
  const std::string name = TypeName(value);
  return InvalidValue(path, name, InBody(path) + "must be of type " + type + ": \"" + name + "\"");
}

void CheckType(const SchemaNode& node, const Json& value, const std::string& path, Errors& errors) {
  errors.push_back(WrongType(path, TypeText(node.type), value));
  if (node.type != SchemaType::kIntOrString) return;
  errors.push_back(
      InvalidValue("<nil>", "", "\"" + path + "\" must validate at least one schema (anyOf)"));
  errors.push_back(WrongType(path, "integer", value));
}

std::string NumberText(double number) {
  const bool whole = IsWhole(Json(number));
  return whole ? std::to_string(static_cast<std::int64_t>(number)) : Dump(Json(number));
}

void CheckNumber(const SchemaNode& node, const Json& value, const std::string& path,
                 Errors& errors) {
  const auto number = value.get<double>();
  if (node.minimum && number < *node.minimum) {
    errors.push_back(InvalidValue(
        path, value,
        InBody(path) + "should be greater than or equal to " + NumberText(*node.minimum)));
  }
  if (node.maximum && number > *node.maximum) {
    errors.push_back(InvalidValue(
        path, value,
        InBody(path) + "should be less than or equal to " + NumberText(*node.maximum)));
  }
}

bool Matches(const std::regex& regex, const std::string& text) {
  if (text.size() > kLongestMatched) return false;
  try {
    return std::regex_search(text, regex);
  } catch (const std::regex_error&) {
    return false;
  }
}

void CheckString(const SchemaNode& node, const Json& value, const std::string& path,
                 Errors& errors) {
  const auto& text = value.get_ref<const std::string&>();
  const auto length = static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
  // The first that fails is told.
  if (node.max_length && length > *node.max_length) {
    errors.push_back(
        {path, "FieldValueTooLong",
         "Too long: may not be more than " + std::to_string(*node.max_length) + " bytes"});
  } else if (node.min_length && length < *node.min_length) {
    errors.push_back(InvalidValue(
        path, value,
        InBody(path) + "should be at least " + std::to_string(*node.min_length) + " chars long"));
  } else if (node.regex && !Matches(*node.regex, text)) {
    errors.push_back(
        InvalidValue(path, value, InBody(path) + "should match '" + node.pattern + "'"));
  }
  if (node.format == "date-time" && !ParseTime(text)) {
    errors.push_back(
        InvalidValue(path, value, InBody(path) + "must be of type date-time: " + Dump(value)));
  }
}

FieldError TooMany(const std::string& path, std::size_t size, std::size_t most) {
  return {path, "FieldValueTooMany",
          "Too many: " + std::to_string(size) + ": must have at most " + std::to_string(most) +
              " items"};
}

Json KeyOfItem(const SchemaNode& node, const Json& item) {
  if (node.map_keys.empty()) return item;
  Json key = Json::object();
  for (const std::string& field : node.map_keys) {
    if (const Json* value = Find(item, {field})) key[field] = *value;
  }
  return key;
}

void CheckArray(const SchemaNode& node, const Json& value, const std::string& path,
                Errors& errors) {
  if (node.max_items && value.size() > *node.max_items) {
    errors.push_back(TooMany(path, value.size(), *node.max_items));
  }
  if (node.min_items && value.size() < *node.min_items) {
    errors.push_back(InvalidValue(
        path, static_cast<std::int64_t>(value.size()),
        InBody(path) + "should have at least " + std::to_string(*node.min_items) + " items"));
  }
  if (!node.is_set && node.map_keys.empty()) return;
  std::vector<Json> seen;
  for (std::size_t i = 0; i < value.size(); ++i) {
    Json key = KeyOfItem(node, value[i]);
    if (std::ranges::find(seen, key) != seen.end()) {
      errors.push_back({path + "[" + std::to_string(i) + "]", "FieldValueDuplicate",
                        "Duplicate value: " + Dump(key)});
    }
    seen.push_back(std::move(key));
  }
}

void CheckObject(const SchemaNode& node, const Json& value, const std::string& path,
                 Errors& errors) {
  if (node.max_properties && value.size() > *node.max_properties) {
    errors.push_back(TooMany(path, value.size(), *node.max_properties));
  }
  for (const std::string& field : node.required) {
    if (value.contains(field)) continue;
    errors.push_back(RequiredValue(path.empty() ? field : std::string(path).append(".") + field));
  }
}

void CheckValue(const SchemaNode& node, const Open& at, Errors& errors) {
  const Json& value = *at.value;
  if (value.is_null() && node.nullable) return;
  if (!HasType(node.type, value)) {
    CheckType(node, value, at.path, errors);
    // Bounds are held against every number, whole or not.
    if (value.is_number()) CheckNumber(node, value, at.path, errors);
    return;
  }
  if (!node.enumeration.empty() &&
      std::ranges::find(node.enumeration, value) == node.enumeration.end()) {
    std::vector<std::string> allowed;
    allowed.reserve(node.enumeration.size());
    for (const Json& one : node.enumeration) {
      allowed.push_back(one.is_string() ? one.get<std::string>() : Dump(one));
    }
    errors.push_back(UnsupportedValue(at.path, value, allowed));
  }
  if (value.is_number()) CheckNumber(node, value, at.path, errors);
  if (value.is_string()) CheckString(node, value, at.path, errors);
  if (value.is_array()) CheckArray(node, value, at.path, errors);
  if (value.is_object()) CheckObject(node, value, at.path, errors);
}

// The item of the old list with the same keys; lists without keys cannot be compared.
const Json* OldItem(const SchemaNode& node, const Json* old, const Json& item) {
  if (old == nullptr || !old->is_array() || node.map_keys.empty()) return nullptr;
  const Json key = KeyOfItem(node, item);
  const auto found =
      std::ranges::find_if(*old, [&](const Json& one) { return KeyOfItem(node, one) == key; });
  return found == old->end() ? nullptr : &*found;
}

void OpenItems(const SchemaNode& node, const Open& at, std::vector<Open>& stack) {
  if (!at.value->is_array() || !node.items) return;
  for (std::size_t i = 0; i < at.value->size(); ++i) {
    const Json& item = (*at.value)[i];
    stack.push_back(
        {&item, OldItem(node, at.old, item), *node.items, at.path + "[" + std::to_string(i) + "]"});
  }
}

void OpenField(const SchemaNode& node, const Open& at, const std::string& field,
               std::vector<Open>& stack) {
  if (at.path.empty() && field == "metadata") return;
  const auto known = node.properties.find(field);
  const auto child =
      known == node.properties.end() ? node.additional : std::optional(known->second);
  if (!child) return;
  stack.push_back({&(*at.value)[field], at.old == nullptr ? nullptr : Find(*at.old, {field}),
                   *child, at.path.empty() ? field : at.path + "." + field});
}

// Pushes the children in reverse, so that they are taken in order.
void OpenChildren(const SchemaNode& node, const Open& at, std::vector<Open>& stack) {
  const std::size_t first = stack.size();
  OpenItems(node, at, stack);
  if (at.value->is_object()) {
    for (const auto& [field, value] : at.value->items()) OpenField(node, at, field, stack);
  }
  std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
}

FieldError BrokenRule(const SchemaRule& rule, const Open& at, bool failed) {
  std::string path = at.path;
  for (const std::string& field : rule.field_path) path += (path.empty() ? "" : ".") + field;
  if (path.empty()) path = "<nil>";
  if (failed) return InvalidValue(path, TypeName(*at.value), "rule evaluation error");
  if (rule.reason == "FieldValueForbidden") return ForbiddenField(path, rule.message);
  if (rule.reason == "FieldValueRequired") return RequiredValue(path, rule.message);
  return InvalidValue(path, TypeName(*at.value), rule.message);
}

bool BlocksRules(const FieldError& error) {
  return error.type == "FieldValueRequired" || error.type == "FieldValueNotSupported" ||
         error.type == "FieldValueTooLong" || error.type == "FieldValueTooMany" ||
         error.message.find(" must be of type ") != std::string::npos;
}

}  // namespace

std::vector<FieldError> Schema::CheckValues(const Json& object) const {
  Errors errors;
  std::vector<Open> stack = {{&object, nullptr, 0, ""}};
  while (!stack.empty()) {
    const Open at = std::move(stack.back());
    stack.pop_back();
    CheckValue(nodes_[at.node], at, errors);
    OpenChildren(nodes_[at.node], at, stack);
  }
  return errors;
}

std::vector<FieldError> Schema::CheckRules(const Json& object, const Json* old) const {
  Errors errors;
  std::vector<Open> stack = {{&object, old, 0, ""}};
  while (!stack.empty()) {
    const Open at = std::move(stack.back());
    stack.pop_back();
    for (const SchemaRule& rule : nodes_[at.node].rules) {
      if (rule.rule.uses_old_self() && at.old == nullptr) continue;
      const auto holds = rule.rule.Evaluate(*at.value, at.old);
      if (holds != true) errors.push_back(BrokenRule(rule, at, !holds));
    }
    OpenChildren(nodes_[at.node], at, stack);
  }
  return errors;
}

std::vector<FieldError> Schema::Validate(const Json& object, const Json* old) const {
  Errors errors = CheckValues(object);
  if (!has_rules_) return errors;
  if (std::ranges::any_of(errors, BlocksRules)) {
    errors.push_back(InvalidValue("<nil>", nullptr, kNotAllChecked));
    return errors;
  }
  for (FieldError& error : CheckRules(object, old)) errors.push_back(std::move(error));
  return errors;
}

}  // namespace muster::e2e
