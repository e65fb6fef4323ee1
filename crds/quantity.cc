#include "crds/quantity.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "scheduler/base/amount.h"

namespace muster::crds {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// A quantity taken apart: (whole digits).(fraction digits) x 10^exponent x 1024^binary.
struct Parts {
  bool negative = false;
  std::string_view whole, fraction;
  std::int64_t exponent = 0;
  int binary = 0;
};

// The digits that `text` begins with; it goes on behind them.
std::string_view TakeDigits(std::string_view& text) {
  const auto size =
      static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin());
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

bool Take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// "e3", "E-6". An exponent beyond any use is cut: the value is as good as infinite, or as good as
// 0.
bool ReadExponent(std::string_view suffix, Parts& parts) {
  if (!Take(suffix, 'e') && !Take(suffix, 'E')) return false;
  const bool negative = Take(suffix, '-');
  if (!negative) (void)Take(suffix, '+');
  const std::string_view digits = TakeDigits(suffix);
  if (digits.empty() || !suffix.empty()) return false;
  constexpr std::int64_t kBeyond = 100'000;
  for (const char c : digits) {
    parts.exponent = std::min(kBeyond, parts.exponent * 10 + (c - '0'));
  }
  if (negative) parts.exponent = -parts.exponent;
  return true;
}

// "Ki" to "Ei", "n" to "E", or an exponent. "E" alone is 10^18, "E3" is 10^3.
bool ReadSuffix(std::string_view suffix, Parts& parts) {
  if (suffix.empty()) return true;
  if (suffix.size() == 2 && suffix.back() == 'i') {
    constexpr std::string_view kBinary = "KMGTPE";
    const std::size_t at = kBinary.find(suffix.front());
    if (at == std::string_view::npos) return false;
    parts.binary = static_cast<int>(at) + 1;
    return true;
  }
  if (suffix.size() == 1) {
    constexpr std::string_view kDecimal = "num.kMGTPE";  // 10^-9 to 10^18; "." is in no suffix.
    const std::size_t at = kDecimal.find(suffix.front());
    if (at == std::string_view::npos || suffix.front() == '.') return false;
    parts.exponent = (static_cast<std::int64_t>(at) - 3) * 3;
    return true;
  }
  return ReadExponent(suffix, parts);
}

std::optional<Parts> Split(std::string_view text) {
  // The API server stores short ones. Exponents (below) have the last word only in a short text.
  constexpr std::size_t kLongest = 256;
  if (text.size() > kLongest) return std::nullopt;
  Parts parts;
  parts.negative = Take(text, '-');
  if (!parts.negative) (void)Take(text, '+');
  parts.whole = TakeDigits(text);
  if (Take(text, '.')) parts.fraction = TakeDigits(text);
  if (parts.whole.empty() && parts.fraction.empty()) return std::nullopt;
  if (!ReadSuffix(text, parts)) return std::nullopt;
  return parts;
}

// Grows without wrapping: whatever passes int64 stays "too much".
struct Sum {
  std::uint64_t value = 0;
  void MultiplyAdd(std::uint64_t factor, std::uint64_t add) {
    std::uint64_t next = 0;
    if (__builtin_mul_overflow(value, factor, &next) || __builtin_add_overflow(next, add, &next)) {
      next = kMost + 1;
    }
    value = std::min(next, kMost + 1);
  }
};

// The decimal digits behind the point, multiplied by 1024: returns what comes in front of it. Long
// multiplication, since 1024^6 times a fraction fits no integer.
std::uint64_t Times1024(std::string& digits) {
  std::uint64_t carry = 0;
  for (std::size_t i = digits.size(); i-- > 0;) {
    carry += static_cast<std::uint64_t>(digits[i] - '0') * 1024;
    digits[i] = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  return carry;
}

// |value| x 10^shift, rounded up to a whole number; at most int64's maximum + 1. Exact: the integer
// part is summed up digit by digit, the fraction stays decimal.
std::uint64_t RoundedUp(const Parts& parts, int shift) {
  // Where the point stands in the digits, once exponent and shift are counted in.
  const std::int64_t point = static_cast<std::int64_t>(parts.whole.size()) + parts.exponent + shift;
  // All of it so far behind the point that even 1024^6 (below 10^20) does not bring it in front.
  constexpr std::int64_t kFar = 40;
  const bool tiny = point < -kFar;
  Sum sum;
  std::string fraction;
  bool rest = false;
  std::int64_t position = 0;
  const auto take = [&](char c) {
    const std::int64_t behind = position++ - point;
    if (behind < 0) {
      sum.MultiplyAdd(10, static_cast<std::uint64_t>(c - '0'));
    } else if (parts.binary == 0 || tiny) {
      rest = rest || c != '0';
    } else {
      fraction.resize(static_cast<std::size_t>(behind), '0');
      fraction.push_back(c);
    }
  };
  for (const char c : parts.whole) take(c);
  for (const char c : parts.fraction) take(c);
  while (position++ < point && sum.value != 0 && sum.value <= kMost) sum.MultiplyAdd(10, 0);
  for (int i = 0; i < parts.binary; ++i) sum.MultiplyAdd(1024, Times1024(fraction));
  rest = rest || fraction.find_first_not_of('0') != std::string::npos;
  if (rest) sum.MultiplyAdd(1, 1);
  return sum.value;
}

// Rounding up to nano-units first, as Kubernetes does, and then to ours gives the same.
Quantity Clipped(const Parts& parts, Unit unit) {
  const std::uint64_t value = RoundedUp(parts, unit == Unit::kMilli ? 3 : 0);
  if (parts.negative) return {.amount = 0, .clipped = value != 0};
  if (value > static_cast<std::uint64_t>(kAmountMax)) {
    return {.amount = kAmountMax, .clipped = true};
  }
  return {.amount = static_cast<std::int64_t>(value), .clipped = false};
}

Error NoQuantity(std::string_view text) {
  return {Code::kInvalidArgument, "\"" + std::string(text) + "\" is no quantity"};
}

}  // namespace

Result<Quantity> ParseQuantity(std::string_view text, Unit unit) {
  const std::optional<Parts> parts = Split(text);
  if (!parts.has_value()) return NoQuantity(text);
  return Clipped(*parts, unit);
}

Result<Quantity> ParseQuota(std::string_view text, Unit unit) {
  const std::optional<Parts> parts = Split(text);
  if (!parts.has_value()) return NoQuantity(text);
  const std::uint64_t magnitude = RoundedUp(*parts, 0);
  if (parts->negative && magnitude != 0) {
    return Error{Code::kInvalidArgument, std::string(text) + " is less than 0"};
  }
  if (magnitude > kMost) {
    return Error{Code::kInvalidArgument,
                 std::string(text) + " is more than " + std::to_string(kMost)};
  }
  return Clipped(*parts, unit);
}

}  // namespace muster::crds
