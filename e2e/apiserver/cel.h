// The part of CEL that the validation rules of our CRDs use: field selection on self and oldSelf,
// has(), size(), comparisons, the three logical operators, literals. What it does not know it
// refuses when the rule is loaded, so that no rule is ever half understood.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "e2e/apiserver/json.h"
#include "scheduler/base/result.h"

namespace muster::e2e {

enum class CelOp : std::uint8_t { kLiteral, kPath, kHas, kSize, kNot, kAnd, kOr, kCompare };
enum class CelRelation : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kMore,
  kMoreEqual,
};
// Reverse Polish: operands come before their operator.
struct CelStep {
  CelOp op{};
  CelRelation relation{};
  bool old = false;  // The path starts at oldSelf.
  std::vector<std::string> path{};
  Json literal{};
};

class CelRule {
 public:
  // The error says what is not understood.
  static Result<CelRule> Parse(std::string_view text);
  explicit CelRule(std::vector<CelStep> steps) : steps_(std::move(steps)) {}

  // A transition rule: judged only where there is an old value.
  [[nodiscard]] bool uses_old_self() const;
  // Nothing: the evaluation failed (a field that is not there, operands of different types).
  [[nodiscard]] std::optional<bool> Evaluate(const Json& self, const Json* old_self) const;

 private:
  std::vector<CelStep> steps_;  // Leave one value.
};

}  // namespace muster::e2e
