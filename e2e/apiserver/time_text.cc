#include "e2e/apiserver/time_text.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace muster::e2e {
namespace {

// A number of exactly `digits` digits at the front of the text, which is then dropped.
std::optional<int> TakeNumber(std::string_view& text, std::size_t digits) {
  int value = 0;
  if (text.size() < digits) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
  if (error != std::errc() || end != text.data() + digits || value < 0) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool TakeChar(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

// ".250000" -> 250; nothing there -> 0.
std::int64_t TakeMillis(std::string_view& text) {
  if (!TakeChar(text, '.')) return 0;
  std::int64_t millis = 0;
  std::int64_t weight = 100;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    millis += weight * (text.front() - '0');
    weight /= 10;
    text.remove_prefix(1);
  }
  return millis;
}

std::string Two(std::int64_t first, char unit, std::int64_t second, char second_unit) {
  std::string text = std::to_string(first) + unit;
  if (second != 0) text += std::to_string(second) + second_unit;
  return text;
}

}  // namespace

std::string TimeText(std::int64_t ms) {
  using std::chrono::days;
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(ms)};
  const auto day = floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(floor<std::chrono::seconds>(time - day));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", int(date.year()),
                unsigned(date.month()), unsigned(date.day()), int(clock.hours().count()),
                int(clock.minutes().count()), int(clock.seconds().count()));
  return text.data();
}

std::optional<std::int64_t> ParseTime(std::string_view text) {
  constexpr std::array<std::size_t, 6> kDigits = {4, 2, 2, 2, 2, 2};
  constexpr std::array<char, 6> kAfter = {'-', '-', 'T', ':', ':', '\0'};
  std::array<int, 6> part{};
  for (std::size_t i = 0; i < part.size(); ++i) {
    const auto number = TakeNumber(text, kDigits.at(i));
    if (!number) return std::nullopt;
    part.at(i) = *number;
    if (kAfter.at(i) != '\0' && !TakeChar(text, kAfter.at(i))) return std::nullopt;
  }
  const std::int64_t millis = TakeMillis(text);
  if (!TakeChar(text, 'Z') || !text.empty()) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(part[0]),
                                         std::chrono::month(static_cast<unsigned>(part[1])),
                                         std::chrono::day(static_cast<unsigned>(part[2]))};
  if (!date.ok() || part[3] > 23 || part[4] > 59 || part[5] > 60) return std::nullopt;
  const std::int64_t day = std::chrono::sys_days(date).time_since_epoch().count();
  return (((day * 24 + part[3]) * 60 + part[4]) * 60 + part[5]) * 1000 + millis;
}

std::string AgeText(std::int64_t ms) {
  const std::int64_t seconds = ms / 1000;
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return std::to_string(seconds) + "s";
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return Two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return std::to_string(minutes) + "m";
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return Two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return std::to_string(hours) + "h";
  constexpr std::int64_t kYear = 365;
  const std::int64_t days = hours / 24;
  if (days < 8) return Two(days, 'd', hours % 24, 'h');
  if (days < 2 * kYear) return std::to_string(days) + "d";
  if (days < 8 * kYear) return Two(days / kYear, 'y', days % kYear, 'd');
  return std::to_string(days / kYear) + "y";
}

}  // namespace muster::e2e
