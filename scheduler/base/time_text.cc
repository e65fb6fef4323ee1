#include "scheduler/base/time_text.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace muster {

std::string TimeText(std::int64_t ms) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::milliseconds> at{std::chrono::milliseconds(ms)};
  const auto day = floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss of_day(floor<std::chrono::seconds>(at) - day);
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ",
                      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                      static_cast<unsigned>(date.day()), static_cast<int>(of_day.hours().count()),
                      static_cast<int>(of_day.minutes().count()),
                      static_cast<int>(of_day.seconds().count()));
  return text.data();
}

}  // namespace muster
