#include "e2e/apiserver/request_timeout.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace muster::e2e {
namespace {

constexpr std::chrono::milliseconds kTimeoutMax{60'000};

}  // namespace

std::chrono::milliseconds ParseTimeout(const std::string& text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count <= 0 || count > 3'600'000) return kTimeoutMax;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit == "ms") return std::chrono::milliseconds(count);
  if (unit == "m") return std::min(kTimeoutMax, std::chrono::milliseconds(count * 60'000));
  return std::min(kTimeoutMax, std::chrono::milliseconds(count * 1000));
}

}  // namespace muster::e2e
