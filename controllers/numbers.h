// Numbers in texts that others wrote. Pure.
#pragma once

#include <algorithm>
#include <charconv>
#include <compare>
#include <optional>
#include <string_view>
#include <system_error>

namespace muster::controllers {

// The whole text is one decimal number of T; nullopt: it is not, or is out of range.
template <class T>
[[nodiscard]] std::optional<T> NumberIn(std::string_view text) {
  T number{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

// Of two resourceVersions of one kind: decimal numbers without a leading zero (KEP-5504). Others
// say nothing about which came first.
[[nodiscard]] inline std::partial_ordering CompareVersions(std::string_view a, std::string_view b) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!is_number(a) || !is_number(b)) return std::partial_ordering::unordered;
  return a.size() != b.size() ? a.size() <=> b.size() : a <=> b;
}

}  // namespace muster::controllers
