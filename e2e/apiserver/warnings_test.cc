#include "e2e/apiserver/warnings.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

using Texts = std::vector<std::string>;

std::string Repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Warnings, AreQuotedInOrderWithoutRepeats) {
  EXPECT_EQ(WarningHeaders({"b", "", R"(unknown field "a\b")", "b"}),
            (Texts{R"(299 - "b")", R"(299 - "unknown field \"a\\b\"")"}));
}

TEST(Warnings, WhatNoHeaderCarriesIsLeftOut) {
  using namespace std::string_literals;
  EXPECT_EQ(WarningHeaders({"a\nb", "a\0b"s, "a\x7f", "a\xC2\x85", "\xC2\xA0 is one"}),
            Texts{"299 - \"\xC2\xA0 is one\""});
}

TEST(Warnings, AreCutWhereTheyAreTooMuch) {
  const std::string rune = "\xE2\x82\xAC";  // Of three bytes.
  EXPECT_EQ(WarningHeaders({Repeat(rune, 4'096)}), Texts{"299 - \"" + Repeat(rune, 4'096) + "\""});
  EXPECT_EQ(WarningHeaders({Repeat(rune, 4'096), "b"}),
            (Texts{"299 - \"" + Repeat(rune, 256) + "\"", "299 - \"b\""}));
  Texts many;
  for (int i = 100; i < 200; ++i) many.push_back(std::to_string(i) + Repeat("x", 300));
  const Texts headers = WarningHeaders(many);
  ASSERT_EQ(headers.size(), 16U);
  EXPECT_EQ(headers.back(), "299 - \"115" + Repeat("x", 253) + "\"");
}

}  // namespace
}  // namespace muster::e2e
