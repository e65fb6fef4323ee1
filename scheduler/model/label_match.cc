#include "scheduler/model/label_match.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace muster::scheduler {
namespace {

std::optional<std::int64_t> ToInteger(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

bool Compares(const Requirement& requirement, const std::string& value) {
  if (requirement.values.size() != 1) return false;
  const std::optional<std::int64_t> have = ToInteger(value);
  const std::optional<std::int64_t> want = ToInteger(requirement.values.front());
  if (!have || !want) return false;
  return requirement.op == Requirement::Op::kGt ? *have > *want : *have < *want;
}

}  // namespace

const std::string* FindLabel(const Labels& labels, std::string_view key) {
  const auto it = std::lower_bound(
      labels.begin(), labels.end(), key,
      [](const auto& label, std::string_view wanted) { return label.first < wanted; });
  return it != labels.end() && it->first == key ? &it->second : nullptr;
}

bool Matches(const Requirement& requirement, const std::string* value) {
  const auto& values = requirement.values;
  const bool listed =
      value != nullptr && std::find(values.begin(), values.end(), *value) != values.end();
  switch (requirement.op) {
    case Requirement::Op::kIn:
      return listed;
    case Requirement::Op::kNotIn:
      return !listed;
    case Requirement::Op::kExists:
      return value != nullptr;
    case Requirement::Op::kDoesNotExist:
      return value == nullptr;
    case Requirement::Op::kGt:
    case Requirement::Op::kLt:
      return value != nullptr && Compares(requirement, *value);
  }
  return false;
}

bool MatchesAll(std::span<const Requirement> requirements, const Labels& labels) {
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const Requirement& r) { return Matches(r, FindLabel(labels, r.key)); });
}

bool MatchesNode(const NodeTerm& term, const Labels& labels, const std::string& node_name) {
  if (term.labels.empty() && term.fields.empty()) return false;
  const bool fields = std::all_of(
      term.fields.begin(), term.fields.end(),
      [&](const Requirement& r) { return r.key == "metadata.name" && Matches(r, &node_name); });
  return fields && MatchesAll(term.labels, labels);
}

}  // namespace muster::scheduler
