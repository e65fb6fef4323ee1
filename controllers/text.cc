#include "controllers/text.h"

#include <cstddef>

namespace muster::controllers {

std::string CutText(std::string_view text) {
  constexpr std::size_t kMax = 1024;
  constexpr std::string_view kTail = " ...";
  if (text.size() <= kMax) return std::string(text);
  std::size_t end = kMax - kTail.size();
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

}  // namespace muster::controllers
