#include "e2e/apiserver/warnings.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace muster::e2e {
namespace {

constexpr std::size_t kAllRunes = 4'096;
constexpr std::size_t kOneRunes = 256;

// Of UTF-8 each byte but those that go on with a character.
bool BeginsRune(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

std::size_t CountRunes(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, BeginsRune));
}

std::string_view CutToRunes(std::string_view text, std::size_t runes) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!BeginsRune(text[i])) continue;
    if (runes-- == 0) return text.substr(0, i);
  }
  return text;
}

// U+0000 to U+001F and U+007F to U+009F.
bool HasControl(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20U || byte == 0x7FU) return true;
    if (byte == 0xC2U && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0U) {
      return true;
    }
  }
  return false;
}

std::string HeaderOf(std::string_view text) {
  std::string header = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') header += '\\';
    header += c;
  }
  return header + '"';
}

}  // namespace

std::vector<std::string> WarningHeaders(const std::vector<std::string>& texts) {
  std::vector<std::string_view> told;
  std::size_t runes = 0;
  for (const std::string& text : texts) {
    if (text.empty() || HasControl(text)) continue;
    if (std::ranges::find(told, text) != told.end()) continue;
    // More are cut away in any case.
    if (told.size() == kAllRunes) break;
    told.emplace_back(text);
    runes += CountRunes(text);
  }
  const bool cut = runes > kAllRunes;
  std::vector<std::string> headers;
  std::size_t written = 0;
  for (const std::string_view text : told) {
    if (written >= kAllRunes) break;
    const std::string_view shown = cut ? CutToRunes(text, kOneRunes) : text;
    headers.push_back(HeaderOf(shown));
    written += CountRunes(shown);
  }
  return headers;
}

}  // namespace muster::e2e
