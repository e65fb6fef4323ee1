#include "crds/label_selector.h"

#include <algorithm>
#include <string>

namespace muster::crds {
namespace {

// The syntax is that of apimachinery's IsQualifiedName and IsValidLabelValue.
constexpr std::size_t kNameMax = 63;
constexpr std::size_t kDomainMax = 253;

bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsDecimalDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsAlphanumeric(char c) {
  return IsLower(c) || IsDecimalDigit(c) || (c >= 'A' && c <= 'Z');
}

// Letters and digits at both ends, between them also "-", "_" and ".".
bool IsLabelName(std::string_view text) {
  if (text.empty() || text.size() > kNameMax) return false;
  if (!IsAlphanumeric(text.front()) || !IsAlphanumeric(text.back())) return false;
  return std::ranges::all_of(
      text, [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsDomainPart(std::string_view part) {
  if (part.empty() || part.front() == '-' || part.back() == '-') return false;
  return std::ranges::all_of(part,
                             [](char c) { return IsLower(c) || IsDecimalDigit(c) || c == '-'; });
}

// RFC 1123, in lower case.
bool IsDomain(std::string_view text) {
  if (text.size() > kDomainMax) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!IsDomainPart(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

Error Expected(const std::string& path, const std::string& what) {
  return {Code::kInvalidArgument, path + ": expected " + what};
}

// The rules are those of ValidateLabelSelector.
Result<void> CheckRequirement(const SelectorRequirement& requirement, const std::string& path) {
  if (!IsLabelKey(requirement.key)) return Expected(path + ".key", "a label key");
  const bool among = requirement.op == "In" || requirement.op == "NotIn";
  if (!among && requirement.op != "Exists" && requirement.op != "DoesNotExist") {
    return Expected(path + ".operator", "In, NotIn, Exists or DoesNotExist");
  }
  if (among == requirement.values.empty()) {
    return Expected(
        path + ".values",
        (among ? "at least one with operator " : "none with operator ") + requirement.op);
  }
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    if (IsLabelValue(requirement.values[i])) continue;
    return Expected(path + ".values[" + std::to_string(i) + "]", "a label value");
  }
  return {};
}

}  // namespace

bool IsLabelKey(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return IsLabelName(text);
  return IsDomain(text.substr(0, slash)) && IsLabelName(text.substr(slash + 1));
}

bool IsLabelValue(std::string_view text) {
  return text.empty() || IsLabelName(text);
}

Result<void> CheckLabelSelector(const LabelSelector& selector) {
  for (const auto& [key, value] : selector.match_labels) {
    const std::string path = "matchLabels[" + key + "]";
    if (!IsLabelKey(key)) return Expected(path, "a label key");
    if (!IsLabelValue(value)) return Expected(path, "a label value");
  }
  for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
    const std::string path = "matchExpressions[" + std::to_string(i) + "]";
    Result<void> checked = CheckRequirement(selector.match_expressions[i], path);
    if (!checked.ok()) return checked;
  }
  return {};
}

}  // namespace muster::crds
