#include "e2e/suites/mask.h"

#include <cstddef>
#include <regex>
#include <sstream>
#include <vector>

namespace muster::e2e {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string Differs(const std::string& expected, const std::string& seen) {
  return "expected: " + expected + "\nseen:     " + seen;
}

}  // namespace

std::string Mask(const std::string& text) {
  static const std::regex time(R"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z)");
  static const std::regex uid(R"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})");
  static const std::regex age(R"((^|\s)([0-9]+m)?[0-9]+s(?=\s|$) *)", std::regex::multiline);
  static const std::regex port(R"(127\.0\.0\.1:[0-9]+)");
  static const std::regex blanks(R"( +$)", std::regex::multiline);
  static const std::regex duration(R"([0-9]+(\.[0-9]+)? (us|ms|s)\b)");
  std::string out = std::regex_replace(text, time, "<time>");
  out = std::regex_replace(out, uid, "<uid>");
  out = std::regex_replace(out, port, "127.0.0.1:<port>");
  // A match takes the blanks behind it, so that the age next to it is found by the second pass.
  for (int pass = 0; pass < 2; ++pass) out = std::regex_replace(out, age, "$1<age> ");
  out = std::regex_replace(out, duration, "<n> $2");
  return std::regex_replace(out, blanks, "");
}

std::string Difference(const std::string& expected, const std::string& seen) {
  const std::vector<std::string> want = Lines(Mask(expected));
  const std::vector<std::string> have = Lines(Mask(seen));
  std::size_t at = 0;
  bool skipping = false;
  for (const std::string& line : want) {
    if (line == " ...") {
      skipping = true;
      continue;
    }
    while (skipping && at < have.size() && have[at] != line) ++at;
    skipping = false;
    if (at == have.size()) return Differs(line, "<the end>");
    if (have[at] != line) return Differs(line, have[at]);
    ++at;
  }
  if (!skipping && at < have.size()) return Differs("<the end>", have[at]);
  return {};
}

}  // namespace muster::e2e
