#include "crds/time.h"

#include <array>
#include <chrono>
#include <cstdio>

#include "scheduler/base/time_text.h"

namespace muster::crds {
namespace {

constexpr std::int64_t kMsPerDay = 86'400'000;

// Of the second that TimeText names.
std::int64_t MsOfSecond(std::int64_t ms) {
  return ms - WholeSeconds(ms);
}

// Reads fixed-width numbers and separators from the front; any mismatch makes it fail for good.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  int Number(std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!AtDigit()) return Fail();
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }
  void Expect(char c) {
    if (!Take(c)) (void)Fail();
  }
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // ".123456" as milliseconds; 0 when there is no point.
  int Fraction() {
    if (!Take('.') && !Take(',')) return 0;
    if (!AtDigit()) return Fail();
    int ms = 0;
    for (int weight = 100; AtDigit(); weight /= 10) {
      ms += (rest_.front() - '0') * weight;
      rest_.remove_prefix(1);
    }
    return ms;
  }
  // Minutes east of UTC.
  int Offset() {
    if (Take('Z') || Take('z')) return 0;
    const bool west = Take('-');
    if (!west) Expect('+');
    const int hours = Number(2);
    Expect(':');
    const int minutes = Number(2);
    if (hours > 23 || minutes > 59) return Fail();
    return (west ? -1 : 1) * (hours * 60 + minutes);
  }
  // Everything was as expected and nothing is left.
  [[nodiscard]] bool done() const { return ok_ && rest_.empty(); }

 private:
  [[nodiscard]] bool AtDigit() const {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }
  int Fail() {
    ok_ = false;
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

std::string FormatTime(std::int64_t ms) {
  return TimeText(ms);
}

std::string FormatMicroTime(std::int64_t ms) {
  std::string text = TimeText(ms);
  std::array<char, 16> fraction{};
  (void)std::snprintf(fraction.data(), fraction.size(), ".%03d000Z",
                      static_cast<int>(MsOfSecond(ms)));
  text.replace(text.size() - 1, 1, fraction.data());
  return text;
}

Result<std::int64_t> ParseTime(std::string_view text) {
  Scanner in(text);
  const int year = in.Number(4);
  in.Expect('-');
  const int month = in.Number(2);
  in.Expect('-');
  const int day = in.Number(2);
  if (!in.Take('T')) in.Expect('t');
  const int hour = in.Number(2);
  in.Expect(':');
  const int minute = in.Number(2);
  in.Expect(':');
  const int second = in.Number(2);
  const int ms = in.Fraction();
  const int offset = in.Offset();
  // Leap seconds are not written by any server, and refused.
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!in.done() || !date.ok() || hour > 23 || minute > 59 || second > 59) {
    return Error{Code::kInvalidArgument, "expected a time (RFC 3339)"};
  }
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  return days * kMsPerDay + (hour * 60 + minute - offset) * 60'000LL + second * 1000LL + ms;
}

std::int64_t WholeSeconds(std::int64_t ms) {
  const std::int64_t above = ms % 1000;
  return ms - (above < 0 ? above + 1000 : above);
}

}  // namespace muster::crds
