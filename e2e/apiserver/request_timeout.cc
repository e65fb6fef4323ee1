#include "e2e/apiserver/request_timeout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

namespace muster::e2e {
namespace {

constexpr std::chrono::milliseconds kTimeoutMax{60'000};
constexpr std::array<std::pair<std::string_view, double>, 8> kUnits = {{{"ns", 1e-6},
                                                                        {"us", 1e-3},
                                                                        {"\u00b5s", 1e-3},
                                                                        {"\u03bcs", 1e-3},
                                                                        {"ms", 1},
                                                                        {"s", 1e3},
                                                                        {"m", 6e4},
                                                                        {"h", 3.6e6}}};

Error BadTimeout(const std::string& text) {
  return {Code::kInvalidArgument, "invalid timeout specified in the request URL - time: " + text};
}

std::string InQuotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

bool DigitOrDot(char c) {
  return (c >= '0' && c <= '9') || c == '.';
}

std::string_view TakeWhile(std::string_view& rest, bool digits) {
  const auto end = std::ranges::find_if(rest, [&](char c) { return DigitOrDot(c) != digits; });
  const std::string_view taken = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(taken.size());
  return taken;
}

// Of one "1.5s" at the front of what is left, in ms.
Result<double> TakePart(std::string_view& rest, const std::string& text) {
  const std::string_view number = TakeWhile(rest, true);
  double count = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count,
                                            std::chars_format::fixed);
  if (error != std::errc() || end != number.data() + number.size()) {
    return BadTimeout("invalid duration " + InQuotes(text));
  }
  const std::string_view unit = TakeWhile(rest, false);
  if (unit.empty()) return BadTimeout("missing unit in duration " + InQuotes(text));
  const auto* const found =
      std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  if (found == kUnits.end()) {
    return BadTimeout("unknown unit " + InQuotes(unit) + " in duration " + InQuotes(text));
  }
  return count * found->second;
}

}  // namespace

HttpResponse NoTurn() {
  return {.status = 504,
          .headers = {},
          .body = R"({"metadata":{},"status":"Failure","message":"Timeout: request did not )"
                  R"(complete within the allotted timeout","reason":"Timeout","details":{},)"
                  R"("code":504})"};
}

Result<std::chrono::milliseconds> ParseTimeout(const std::string& text) {
  if (text.empty()) return kTimeoutMax;
  std::string_view rest = text;
  const bool negative = rest.front() == '-';
  if (negative || rest.front() == '+') rest.remove_prefix(1);
  if (rest == "0") return kTimeoutMax;
  if (rest.empty()) return BadTimeout("invalid duration " + InQuotes(text));
  double total_ms = 0;
  while (!rest.empty()) {
    MUSTER_ASSIGN(const double part_ms, TakePart(rest, text));
    total_ms += part_ms;
  }
  // A part of a millisecond is not none: it is over at once.
  if (negative || total_ms <= 0 || total_ms > 60'000) return kTimeoutMax;
  return std::chrono::milliseconds(static_cast<std::int64_t>(total_ms));
}

}  // namespace muster::e2e
