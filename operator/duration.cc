#include "operator/duration.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::app {
namespace {

constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kMax = 10 * 365 * 24 * kHour;
// Longer first: "m" begins "ms".
constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kUnits = {
    {{"ms", 1}, {"h", kHour}, {"m", kMinute}, {"s", kSecond}}};

Error Wrong(std::string_view text) {
  return Error{Code::kInvalidArgument,
               "\"" + std::string(text) + "\" is no duration such as 15s, 500ms or 1m30s"};
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Digits off the front, each worth a tenth of the one before; the first is worth `worth` / 10.
std::int64_t TakeFraction(std::string_view& rest, std::int64_t worth) {
  std::int64_t ms = 0;
  for (; !rest.empty() && IsDigit(rest.front()); rest.remove_prefix(1)) {
    worth /= 10;
    ms += worth * (rest.front() - '0');
  }
  return ms;
}

}  // namespace

Result<std::int64_t> ParseDurationMs(std::string_view text) {
  if (text == "0") return std::int64_t{0};
  std::int64_t total = 0;
  std::string_view rest = text;
  do {
    const auto end = std::find_if_not(rest.begin(), rest.end(), IsDigit);
    const std::string_view whole = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(whole.size());
    std::string_view fraction;
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      const auto last = std::find_if_not(rest.begin(), rest.end(), IsDigit);
      fraction = rest.substr(0, static_cast<std::size_t>(last - rest.begin()));
      rest.remove_prefix(fraction.size());
    }
    if (whole.empty() && fraction.empty()) return Wrong(text);
    const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& candidate) {
      return rest.starts_with(candidate.first);
    });
    if (unit == kUnits.end()) return Wrong(text);
    rest.remove_prefix(unit->first.size());
    std::int64_t count = 0;
    for (const char digit : whole) {
      count = count * 10 + (digit - '0');
      if (count > kMax / unit->second) return Wrong(text);
    }
    total += count * unit->second + TakeFraction(fraction, unit->second);
    if (total > kMax) return Wrong(text);
  } while (!rest.empty());
  return total;
}

std::string FormatDurationMs(std::int64_t ms) {
  std::string text;
  for (const auto& [unit, worth] :
       {std::pair{"h", kHour}, std::pair{"m", kMinute}, std::pair{"s", kSecond}}) {
    if (ms >= worth) text += std::to_string(ms / worth) + unit;
    ms %= worth;
  }
  if (ms > 0) text += std::to_string(ms) + "ms";
  return text.empty() ? "0s" : text;
}

}  // namespace muster::app
