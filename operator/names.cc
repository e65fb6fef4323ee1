#include "operator/names.h"

#include <algorithm>
#include <cstddef>

#include "operator/json_text.h"

namespace muster::app {
namespace {

constexpr std::size_t kLabelMax = 63;
constexpr std::size_t kSubdomainMax = 253;

bool IsNameEdge(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool IsLabel(std::string_view name) {
  return !name.empty() && IsNameEdge(name.front()) && IsNameEdge(name.back()) &&
         std::ranges::all_of(name, [](char c) { return IsNameEdge(c) || c == '-'; });
}

// Labels with a point between them, each of any length.
bool IsSubdomain(std::string_view name) {
  while (true) {
    const std::size_t point = name.find('.');
    if (!IsLabel(name.substr(0, point))) return false;
    if (point == std::string_view::npos) return true;
    name.remove_prefix(point + 1);
  }
}

// What a label key says behind its prefix.
bool IsQualifiedName(std::string_view name) {
  const auto edge = [](char c) { return IsNameEdge(c) || (c >= 'A' && c <= 'Z'); };
  const auto inner = [&](char c) { return edge(c) || c == '-' || c == '_' || c == '.'; };
  return !name.empty() && name.size() <= kLabelMax && edge(name.front()) && edge(name.back()) &&
         std::ranges::all_of(name, inner);
}

std::string NotOfForm(std::string_view name, std::string_view form, std::size_t max) {
  if (name.empty()) return "a name is needed";
  return Quoted(name) + " is no name: " + std::string(form) + ", at most " + std::to_string(max) +
         " characters";
}

}  // namespace

std::string ProblemOfLabel(std::string_view name) {
  if (IsLabel(name) && name.size() <= kLabelMax) return {};
  return NotOfForm(name,
                   "lower case letters, digits and '-', with a letter or digit first and last (RFC "
                   "1123 label)",
                   kLabelMax);
}

std::string ProblemOfSubdomain(std::string_view name) {
  if (IsSubdomain(name) && name.size() <= kSubdomainMax) return {};
  return NotOfForm(
      name,
      "lower case letters, digits, '-' and '.', with a letter or digit at both ends of "
      "each part (RFC 1123 subdomain)",
      kSubdomainMax);
}

std::string ProblemOfLabelKey(std::string_view key) {
  const std::size_t slash = key.find('/');
  const bool prefixed = slash != std::string_view::npos;
  const std::string_view prefix = prefixed ? key.substr(0, slash) : std::string_view();
  const bool right = !prefixed || (IsSubdomain(prefix) && prefix.size() <= kSubdomainMax);
  if (right && IsQualifiedName(prefixed ? key.substr(slash + 1) : key)) return {};
  return Quoted(key) +
         " is no key of a label: letters, digits, '-', '_' and '.', with a letter or digit first "
         "and last, at most 63; before it a subdomain and '/', or nothing";
}

}  // namespace muster::app
