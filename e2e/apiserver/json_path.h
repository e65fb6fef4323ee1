// The part of JSONPath that printer columns use: fields, an index, a filter on one field of a list
// (.status.conditions[?(@.type=="Active")].status). Anything else is refused when it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "e2e/apiserver/json.h"
#include "scheduler/base/result.h"

namespace muster::e2e {

class JsonPath {
 public:
  static Result<JsonPath> Parse(std::string_view text);
  // The first value at the path, or nullptr.
  [[nodiscard]] const Json* Find(const Json& object) const;

 private:
  struct Step {
    enum class What : std::uint8_t { kField, kIndex, kFilter } what{};
    std::string field{};  // Of an object; of the items that a filter looks at.
    std::size_t index = 0;
    std::string wanted{};
  };
  static Result<Step> ParseBracket(std::string_view inside);
  static const Json* Take(const Step& step, const Json& value);
  std::vector<Step> steps_;
};

}  // namespace muster::e2e
