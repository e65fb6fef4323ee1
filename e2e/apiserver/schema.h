// The structural schema of a CRD version, as the API server uses it: unknown fields are pruned,
// defaults filled in, values checked, with the server's texts. Built once, then only read. A
// keyword that it does not know is an error when it is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "e2e/apiserver/cel.h"
#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/json.h"
#include "scheduler/base/result.h"

namespace muster::e2e {

enum class SchemaType : std::uint8_t {
  kObject,
  kArray,
  kString,
  kInteger,
  kNumber,
  kBoolean,
  kIntOrString,
  kAny,  // x-kubernetes-preserve-unknown-fields without a type.
};

struct SchemaRule {
  CelRule rule;
  std::string message;
  std::vector<std::string> field_path{};  // Below the value that the rule stands at.
  std::string reason{};                   // "FieldValueInvalid" or another cause.
};

struct SchemaNode {
  SchemaType type{};
  bool nullable = false;
  bool keeps_unknown = false;  // x-kubernetes-preserve-unknown-fields.
  std::map<std::string, std::size_t, std::less<>> properties{};  // To nodes of the schema.
  std::optional<std::size_t> additional{}, items{};
  std::vector<std::string> required{}, map_keys{};
  std::optional<Json> default_value{};
  std::optional<double> minimum{}, maximum{};
  std::optional<std::size_t> min_length{}, max_length{}, min_items{}, max_items{};
  std::optional<std::size_t> max_properties{};
  std::string pattern{}, format{};
  std::optional<std::regex> regex{};
  std::vector<Json> enumeration{};
  bool is_set = false;  // x-kubernetes-list-type: set.
  std::vector<SchemaRule> rules{};
};

// A value on the way through an object, and its node of the schema.
struct SchemaPlace {
  Json* value = nullptr;
  std::size_t node = 0;
  std::string path{};
};

class Schema {
 public:
  // From openAPIV3Schema. The error names the path of what is not understood.
  static Result<Schema> Compile(const Json& schema);

  // Takes out what the schema does not know; returns the paths of what went, sorted.
  std::vector<std::string> Prune(Json& object) const;
  void FillDefaults(Json& object) const;
  // `old`: the object before an update, for the rules that compare.
  [[nodiscard]] std::vector<FieldError> Validate(const Json& object, const Json* old) const;

 private:
  void FillFields(const SchemaNode& node, const SchemaPlace& at,
                  std::vector<SchemaPlace>& stack) const;
  [[nodiscard]] std::vector<FieldError> CheckValues(const Json& object) const;
  [[nodiscard]] std::vector<FieldError> CheckRules(const Json& object, const Json* old) const;

  std::vector<SchemaNode> nodes_;  // The root is the first.
  bool has_rules_ = false;
};

}  // namespace muster::e2e
