// Numbers in texts that others wrote. Pure.
#pragma once

#include <charconv>
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

}  // namespace muster::controllers
