// Label and field selectors of list, watch and deletecollection: parsing, and matching a stored
// object. The fields that a kind can be selected by come from the table of kinds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/json.h"
#include "e2e/apiserver/kinds.h"

namespace muster::e2e {

class Selector {
 public:
  // Either text may be empty: selects everything.
  static Outcome<Selector> Parse(const Kind& kind, const std::string& labels,
                                 const std::string& fields);
  [[nodiscard]] bool Matches(const Json& object) const;
  [[nodiscard]] bool everything() const { return labels_.empty() && fields_.empty(); }

 private:
  enum class Op : std::uint8_t { kIn, kNotIn, kExists, kMissing };
  struct LabelTerm {
    std::string key;
    Op op{};
    std::vector<std::string> values;
  };
  struct FieldTerm {
    std::vector<std::string> path;
    std::string value;
    bool equal = true;
  };
  static Outcome<LabelTerm> ParseLabelTerm(std::string_view text);
  static Outcome<LabelTerm> ParseSetTerm(std::string_view text);
  static Outcome<LabelTerm> ParseEquality(std::string_view text, std::size_t equals);
  static Outcome<FieldTerm> ParseFieldTerm(const Kind& kind, std::string_view text);
  static bool MatchesLabel(const LabelTerm& term, const Json* labels);
  static bool MatchesField(const FieldTerm& term, const Json& object);

  std::vector<LabelTerm> labels_;
  std::vector<FieldTerm> fields_;
};

}  // namespace muster::e2e
