#include "e2e/hostile/spoil.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace muster::e2e {
namespace {

using Texts = std::span<const std::string_view>;

// Less than what a server takes, with the rest of the object.
constexpr std::size_t kHugeBytes = 400'000;
constexpr std::size_t kTooLargeBytes = (std::size_t{3} << 20U) + 1;

std::string_view Pick(Texts texts, Prng& prng) {
  return texts[prng.Below(texts.size())];
}

std::string Quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

std::string Repeated(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string OtherType(const Json& was, Prng& prng) {
  static constexpr std::array<std::string_view, 14> kOdd = {"null",
                                                            "true",
                                                            "-1",
                                                            "1.5",
                                                            "7",
                                                            R"("")",
                                                            R"("text")",
                                                            "[]",
                                                            "[null]",
                                                            R"([1,"a",{}])",
                                                            R"([{"name":"x"}])",
                                                            "{}",
                                                            R"({"name":7})",
                                                            "[[]]"};
  std::size_t at = prng.Below(kOdd.size());
  const auto type = [](std::string_view text) { return Json::parse(text).type(); };
  while (type(kOdd.at(at)) == was.type()) at = (at + 1) % kOdd.size();
  return std::string(kOdd.at(at));
}

std::string HugeNumber(Prng& prng) {
  static constexpr std::array<std::string_view, 7> kNumbers = {
      "2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
      "1e30",       "1e400",      "18446744073709551616"};
  return prng.Chance(100) ? Repeated("9", 400) : std::string(Pick(kNumbers, prng));
}

std::string HugeString(const std::string& tail, Prng& prng) {
  static constexpr std::array<std::size_t, 5> kSizes = {64, 254, 1'025, 70'000, kHugeBytes};
  static constexpr std::array<std::string_view, 5> kAmounts = {
      "1e400", "1e30", "9Ei", "99999999999999999999", "18446744073709551616"};
  if (prng.Chance(300)) return Quoted(std::string(Pick(kAmounts, prng)) + tail);
  return Quoted(std::string(kSizes.at(prng.Below(kSizes.size())), 'x') + tail);
}

std::string HugeOf(const Json& was, const std::string& tail, Prng& prng) {
  if (was.is_string()) return HugeString(tail, prng);
  if (was.is_array()) {
    const std::string one = was.empty() ? "7" : Dump(was.front());
    const std::size_t times = std::clamp<std::size_t>(kHugeBytes / one.size(), 1, 5'000);
    return "[" + Repeated(one + ",", times) + one + "]";
  }
  if (was.is_object()) {
    std::string out = "{";
    for (int i = 0; i < 3'000; ++i) out += "\"k" + std::to_string(i) + R"(":"1",)";
    return out + R"("k":"1"})";
  }
  return HugeNumber(prng);
}

std::string NegativeOf(const Json& was, const std::string& tail, Prng& prng) {
  static constexpr std::array<std::string_view, 6> kNumbers = {
      "-1", "-2147483649", "-9223372036854775808", "-9223372036854775809", "-1e30", "-0"};
  static constexpr std::array<std::string_view, 4> kTexts = {"-1", "-9223372036854775809", "-1e30",
                                                             "-0.5Gi"};
  if (was.is_string()) return Quoted(std::string(Pick(kTexts, prng)) + tail);
  if (was.is_array()) return "[" + std::string(Pick(kNumbers, prng)) + "]";
  if (!was.is_object()) return std::string(Pick(kNumbers, prng));
  Json each = was;
  for (Json& value : each) value = -1;
  return Dump(each);
}

std::string OddCharacters(const Json& was, const std::string& tail, Prng& prng) {
  static constexpr std::array<std::string_view, 17> kTexts = {R"(\u0000)",
                                                              R"(\ud800)",
                                                              R"(\udc00\ud800)",
                                                              R"(\ufeff)",
                                                              "\xff\xfe",
                                                              "\xc3",
                                                              "\xed\xa0\x80",
                                                              "\xc3\xa9",
                                                              "\xf0\x9f\x92\xa5",
                                                              "\xe2\x80\xae",
                                                              R"(a\nb)",
                                                              "a\x01"
                                                              "b",
                                                              "a\tb",
                                                              "../../x",
                                                              "a/b?c#d",
                                                              "%2e%2e",
                                                              R"(\"\\{}[]:,)"};
  std::string text(Pick(kTexts, prng));
  if (prng.Chance(50)) text = Repeated(text, 20'000);
  text += tail;
  if (was.is_array()) return "[" + Quoted(text) + "]";
  if (was.is_object()) return "{" + Quoted(text) + ":" + Quoted(text) + "}";
  return Quoted(text);
}

std::string Nested(Prng& prng) {
  static constexpr std::array<std::size_t, 5> kDepths = {20, 63, 200, 1'500, 100'000};
  const std::size_t depth = kDepths.at(prng.Below(kDepths.size()));
  return prng.Chance(500) ? Repeated("[", depth) + Repeated("]", depth)
                          : Repeated(R"({"a":)", depth) + "1" + Repeated("}", depth);
}

}  // namespace

std::string SpoiltText(const Json& was, Spoil spoil, const std::string& tail, Prng& prng) {
  switch (spoil) {
    case Spoil::kHuge:
      return HugeOf(was, tail, prng);
    case Spoil::kNegative:
      return NegativeOf(was, tail, prng);
    case Spoil::kUnicode:
      return OddCharacters(was, tail, prng);
    case Spoil::kDeep:
      return Nested(prng);
    default:
      return OtherType(was, prng);
  }
}

std::string SpoiltBody(const std::string& body, Spoil spoil, Prng& prng) {
  switch (spoil) {
    case Spoil::kMissing:
      return prng.Chance(500) ? "" : body.substr(0, prng.Below(body.size()));
    case Spoil::kHuge:
      return body + std::string(kTooLargeBytes, ' ');
    case Spoil::kNegative:
      return "-" + body;
    case Spoil::kUnicode:
      return "\xef\xbb\xbf" + body + "\xff";
    case Spoil::kDeep:
      return Nested(prng);
    case Spoil::kTwice:
      return body + body;
    default:
      return OtherType(Json::object(), prng);
  }
}

}  // namespace muster::e2e
