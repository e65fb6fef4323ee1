#include "controllers/text.h"

#include <algorithm>
#include <cstddef>

namespace muster::controllers {

std::string CutText(std::string_view text, std::size_t reserved) {
  constexpr std::size_t kMax = 1024;
  constexpr std::string_view kTail = " ...";
  const std::size_t room = kMax - std::min(kMax - kTail.size(), reserved);
  if (text.size() <= room) return std::string(text);
  std::size_t end = room - kTail.size();
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
