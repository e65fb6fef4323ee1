#include "scheduler/model/text_codec.h"

namespace muster::scheduler {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

// What separates fields and lines, and the escape itself.
bool MustEscape(char c) {
  return c == '%' || static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
}

}  // namespace

void TextWriter::Put(const std::string& text) {
  text_ += " '";
  for (const char c : text) {
    if (MustEscape(c)) {
      const auto byte = static_cast<unsigned char>(c);
      text_ += '%';
      text_ += kHex[byte >> 4U];
      text_ += kHex[byte & 15U];
    } else {
      text_ += c;
    }
  }
}

void TextWriter::PutNumber(std::int64_t value) {
  (text_ += ' ') += std::to_string(value);
}
void TextWriter::PutCount(std::uint64_t value) {
  (text_ += ' ') += std::to_string(value);
}

std::string_view TextReader::Next() {
  const std::size_t end = rest_.find(' ');
  const std::string_view token = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  return token;
}

void TextReader::Get(std::string& text) {
  text.clear();
  const std::string_view token = Next();
  if (token.empty() || token.front() != '\'') {
    failed_ = true;
    return;
  }
  for (std::size_t i = 1; i < token.size(); ++i) {
    if (token[i] != '%') {
      text += token[i];
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = token.substr(i + 1, 2);
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, byte, 16);
    if (digits.size() != 2 || result.ec != std::errc() || result.ptr != end) failed_ = true;
    text += static_cast<char>(byte);
    i += 2;
  }
}

void TextReader::Get(bool& value) {
  const std::string_view token = Next();
  if (token != "0" && token != "1") failed_ = true;
  value = token == "1";
}

}  // namespace muster::scheduler
