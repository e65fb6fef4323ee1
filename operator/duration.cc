#include "operator/duration.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "controllers/text.h"
#include "operator/json_text.h"

namespace muster::app {
namespace {

constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kMax = 87'600 * kHour;  // Ten years.
// Longer first: "m" begins "ms".
constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kUnits = {
    {{"ms", 1}, {"h", kHour}, {"m", kMinute}, {"s", kSecond}}};

Error Wrong(std::string_view text, const std::string& why) {
  constexpr std::size_t kTextShownMax = 64;
  return Error{Code::kInvalidArgument, Quoted(text.substr(0, kTextShownMax)) + " is " + why};
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view TakeDigits(std::string_view& rest) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), IsDigit);
  const std::string_view digits = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(digits.size());
  return digits;
}

// The milliseconds of one unit; 0 = none is named.
std::int64_t TakeUnit(std::string_view& rest) {
  for (const auto& [name, worth] : kUnits) {
    if (!rest.starts_with(name)) continue;
    rest.remove_prefix(name.size());
    return worth;
  }
  return 0;
}

// A number and its unit off the front: milliseconds, of a number that is too large more than kMax;
// nullopt if that is not what is there.
std::optional<std::int64_t> TakePart(std::string_view& rest) {
  const std::string_view whole = TakeDigits(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = TakeDigits(rest);
  }
  const std::int64_t unit = TakeUnit(rest);
  if (unit == 0 || (whole.empty() && fraction.empty())) return std::nullopt;
  std::int64_t count = 0;
  for (const char digit : whole) {
    count = std::min(count * 10 + (digit - '0'), kMax / unit + 1);
  }
  std::int64_t ms = count * unit;
  std::int64_t worth = unit;
  for (const char digit : fraction) {
    worth /= 10;
    ms += worth * (digit - '0');
  }
  return ms;
}

}  // namespace

Result<std::int64_t> ParseDurationMs(std::string_view text) {
  if (text == "0") return std::int64_t{0};
  std::int64_t total = 0;
  std::string_view rest = text;
  do {
    const auto part = TakePart(rest);
    if (!part) return Wrong(text, "no duration such as 15s, 500ms or 1m30s");
    total = std::min(total + *part, kMax + 1);
  } while (!rest.empty());
  if (total <= kMax) return total;
  return Wrong(text, "out of range: from 0s to " + controllers::DurationText(kMax));
}

}  // namespace muster::app
