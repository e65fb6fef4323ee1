#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <utility>

#include "e2e/apiserver/schema.h"

namespace muster::e2e {
namespace {

// Keywords that say nothing about values.
constexpr std::array<std::string_view, 5> kIgnored = {"description", "title", "example",
                                                      "externalDocs", "x-kubernetes-map-type"};

// What SetType has read already.
constexpr std::array<std::string_view, 3> kOfType = {"type", "x-kubernetes-int-or-string",
                                                     "x-kubernetes-preserve-unknown-fields"};

struct Pending {
  const Json* schema = nullptr;
  std::size_t node = 0;
  std::string path{};
};

class Compiler {
 public:
  std::string Run(const Json& schema) {
    (void)Open(schema, "openAPIV3Schema");
    while (!pending_.empty() && error_.empty()) {
      const Pending next = std::move(pending_.front());
      pending_.pop_front();
      CompileNode(next);
    }
    return error_;
  }
  std::vector<SchemaNode> nodes;

 private:
  std::size_t Open(const Json& schema, std::string path) {
    nodes.emplace_back();
    pending_.push_back({&schema, nodes.size() - 1, std::move(path)});
    return nodes.size() - 1;
  }

  void Fail(const std::string& path, const std::string& text) {
    if (error_.empty()) error_ = path + ": " + text;
  }

  void CompileNode(const Pending& at) {
    if (!at.schema->is_object()) return Fail(at.path, "expected an object");
    SetType(at);
    for (const auto& [keyword, value] : at.schema->items()) {
      const bool known = TakeStructure(at, keyword, value) || TakeBound(at, keyword, value) ||
                         TakeList(at, keyword, value) || TakeOther(at, keyword, value) ||
                         std::ranges::find(kIgnored, keyword) != kIgnored.end();
      if (!known) Fail(at.path, "unknown keyword " + keyword);
    }
  }

  void SetType(const Pending& at) {
    SchemaNode& node = nodes[at.node];
    constexpr std::array<std::pair<std::string_view, SchemaType>, 6> kTypes = {
        {{"object", SchemaType::kObject},
         {"array", SchemaType::kArray},
         {"string", SchemaType::kString},
         {"integer", SchemaType::kInteger},
         {"number", SchemaType::kNumber},
         {"boolean", SchemaType::kBoolean}}};
    const std::string& name = StringAt(*at.schema, {"type"});
    const auto* const found =
        std::ranges::find(kTypes, name, &std::pair<std::string_view, SchemaType>::first);
    node.keeps_unknown = BoolAt(*at.schema, {"x-kubernetes-preserve-unknown-fields"});
    if (found != kTypes.end()) {
      node.type = found->second;
    } else if (BoolAt(*at.schema, {"x-kubernetes-int-or-string"})) {
      node.type = SchemaType::kIntOrString;
    } else if (node.keeps_unknown && name.empty()) {
      node.type = SchemaType::kAny;
    } else {
      Fail(at.path, "a structural schema needs a type");
    }
  }

  bool TakeStructure(const Pending& at, const std::string& keyword, const Json& value) {
    if (keyword == "properties") {
      for (const auto& [field, schema] : value.items()) {
        const std::size_t child = Open(schema, at.path + "." + field);
        nodes[at.node].properties.emplace(field, child);
      }
      return true;
    }
    if (keyword == "items") {
      const std::size_t child = Open(value, at.path + "[]");
      nodes[at.node].items = child;
      return true;
    }
    if (keyword != "additionalProperties") return false;
    const std::size_t child = Open(value, at.path + "[*]");
    nodes[at.node].additional = child;
    return true;
  }

  bool TakeBound(const Pending& at, const std::string& keyword, const Json& value) {
    SchemaNode& node = nodes[at.node];
    const std::array<std::pair<std::string_view, std::optional<std::size_t>*>, 5> sizes = {
        {{"minLength", &node.min_length},
         {"maxLength", &node.max_length},
         {"minItems", &node.min_items},
         {"maxItems", &node.max_items},
         {"maxProperties", &node.max_properties}}};
    for (const auto& [name, into] : sizes) {
      if (keyword != name) continue;
      if (!value.is_number_integer() || value < 0) Fail(at.path, keyword + ": not a count");
      if (error_.empty()) *into = value.get<std::size_t>();
      return true;
    }
    if (keyword != "minimum" && keyword != "maximum") return false;
    if (!value.is_number()) {
      Fail(at.path, keyword + ": not a number");
      return true;
    }
    (keyword == "minimum" ? node.minimum : node.maximum) = value.get<double>();
    return true;
  }

  bool TakeList(const Pending& at, const std::string& keyword, const Json& value) {
    SchemaNode& node = nodes[at.node];
    if (keyword == "enum") {
      node.enumeration.assign(value.begin(), value.end());
    } else if (keyword == "required") {
      node.required = Strings(at, keyword, value);
    } else if (keyword == "x-kubernetes-list-map-keys") {
      node.map_keys = Strings(at, keyword, value);
    } else if (keyword == "x-kubernetes-list-type") {
      node.is_set = value == "set";
    } else if (keyword == "x-kubernetes-validations") {
      for (const Json& rule : value) AddRule(at, rule);
    } else {
      return false;
    }
    return true;
  }

  bool TakeOther(const Pending& at, const std::string& keyword, const Json& value) {
    SchemaNode& node = nodes[at.node];
    if (keyword == "nullable") {
      node.nullable = value == true;
    } else if (keyword == "default") {
      node.default_value = value;
    } else if (keyword == "format") {
      node.format = StringAt(*at.schema, {"format"});
    } else if (keyword == "pattern") {
      SetPattern(at, StringAt(*at.schema, {"pattern"}));
    } else if (keyword == "anyOf") {
      if (node.type != SchemaType::kIntOrString) Fail(at.path, "anyOf: only of int-or-string");
    } else {
      return std::ranges::find(kOfType, keyword) != kOfType.end();
    }
    return true;
  }

  std::vector<std::string> Strings(const Pending& at, const std::string& keyword,
                                   const Json& value) {
    std::vector<std::string> strings;
    for (const Json& item : value) {
      if (!item.is_string()) {
        Fail(at.path, keyword + ": not a list of strings");
        return {};
      }
      strings.push_back(item.get<std::string>());
    }
    return strings;
  }

  void SetPattern(const Pending& at, const std::string& pattern) {
    SchemaNode& node = nodes[at.node];
    node.pattern = pattern;
    try {
      node.regex.emplace(pattern, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& error) {
      Fail(at.path, std::string("pattern: ") + error.what());
    }
  }

  void AddRule(const Pending& at, const Json& rule) {
    for (const auto& [keyword, value] : rule.items()) {
      const bool known = keyword == "rule" || keyword == "message" || keyword == "reason" ||
                         keyword == "fieldPath";
      if (!known) Fail(at.path, "x-kubernetes-validations: unknown keyword " + keyword);
    }
    auto parsed = CelRule::Parse(StringAt(rule, {"rule"}));
    if (!parsed.ok()) return Fail(at.path, parsed.error().message);
    std::string reason = StringAt(rule, {"reason"});
    if (reason.empty()) reason = "FieldValueInvalid";
    nodes[at.node].rules.push_back({.rule = std::move(parsed).value(),
                                    .message = StringAt(rule, {"message"}),
                                    .field_path = SplitDots(StringAt(rule, {"fieldPath"})),
                                    .reason = std::move(reason)});
  }

  std::deque<Pending> pending_;
  std::string error_;
};

}  // namespace

Result<Schema> Schema::Compile(const Json& schema) {
  Compiler compiler;
  if (std::string error = compiler.Run(schema); !error.empty()) {
    return Error{Code::kInvalidArgument, std::move(error)};
  }
  Schema compiled;
  compiled.nodes_ = std::move(compiler.nodes);
  compiled.has_rules_ = std::ranges::any_of(
      compiled.nodes_, [](const SchemaNode& node) { return !node.rules.empty(); });
  return compiled;
}

}  // namespace muster::e2e
