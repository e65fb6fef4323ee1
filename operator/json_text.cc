#include "operator/json_text.h"

#include <array>
#include <cstddef>

namespace muster::app {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

unsigned char ByteAt(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// What may follow the first byte of a character (Unicode, table 3-7): the range of the second byte
// keeps out what has a shorter form, the surrogates, and what is beyond U+10FFFF.
struct Form {
  unsigned char first_min, first_max, second_min, second_max;
  std::size_t size;
};
constexpr std::array<Form, 7> kForms = {{{0xc2, 0xdf, 0x80, 0xbf, 2},
                                         {0xe0, 0xe0, 0xa0, 0xbf, 3},
                                         {0xed, 0xed, 0x80, 0x9f, 3},
                                         {0xe1, 0xef, 0x80, 0xbf, 3},
                                         {0xf0, 0xf0, 0x90, 0xbf, 4},
                                         {0xf4, 0xf4, 0x80, 0x8f, 4},
                                         {0xf1, 0xf3, 0x80, 0xbf, 4}}};

// The bytes of the character that begins at `at` with a byte above 0x7f; 0 = there is none.
std::size_t CharacterSize(std::string_view text, std::size_t at) {
  const unsigned char first = ByteAt(text, at);
  for (const Form& form : kForms) {
    if (first < form.first_min || first > form.first_max) continue;
    const unsigned char second = ByteAt(text, at + 1);
    bool whole = second >= form.second_min && second <= form.second_max;
    for (std::size_t i = 2; i < form.size; ++i) whole = whole && ByteAt(text, at + i) >> 6U == 2U;
    return whole ? form.size : 0;
  }
  return 0;
}

void AppendAscii(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\n') {
    out += "\\n";
  } else if (byte < ' ' || byte == 0x7f) {
    out.append("\\u00").append(1, kDigits[byte / 16]).append(1, kDigits[byte % 16]);
  } else {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
}

}  // namespace

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    if (ByteAt(text, at) < 0x80) {
      AppendAscii(out, text[at++]);
      continue;
    }
    const std::size_t size = CharacterSize(text, at);
    out += size == 0 ? kReplacement : text.substr(at, size);
    at += size == 0 ? 1 : size;
  }
  out += '"';
}

std::string Quoted(std::string_view text) {
  std::string out;
  AppendQuoted(out, text);
  return out;
}

}  // namespace muster::app
