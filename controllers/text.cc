#include "controllers/text.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace muster::controllers {
namespace {

constexpr std::string_view kTail = " ...";

}  // namespace

std::string CutText(std::string_view text, std::size_t reserved) {
  constexpr std::size_t kMax = 1024;
  return CutTextTo(text, kMax - std::min(kMax - kTail.size(), reserved));
}

std::string CutTextTo(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - kTail.size();
  // Not within a character: the bytes 10xxxxxx continue one (UTF-8).
  constexpr unsigned kContinuationMask = 0xC0;
  constexpr unsigned kContinuation = 0x80;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & kContinuationMask) == kContinuation) {
    --end;
  }
  return std::string(text.substr(0, end)).append(kTail);
}

std::string Plural(std::size_t count, std::string_view noun) {
  std::string out = std::to_string(count);
  out.append(" ").append(noun);
  if (count != 1) out += 's';
  return out;
}

std::string DurationText(std::int64_t ms) {
  std::string text;
  for (const auto& [unit, worth] :
       {std::pair{"h", 3'600'000}, std::pair{"m", 60'000}, std::pair{"s", 1'000}}) {
    if (ms >= worth) text += std::to_string(ms / worth) + unit;
    ms %= worth;
  }
  if (ms > 0) text += std::to_string(ms) + "ms";
  return text.empty() ? "0s" : text;
}

}  // namespace muster::controllers
