#include "operator/json_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace muster::app {
namespace {

TEST(JsonText, EveryByteIsQuotedSoThatAReaderGetsItBack) {
  for (int byte = 0; byte < 128; ++byte) {
    const std::string text = std::string("a") + static_cast<char>(byte) + "b";
    const std::string quoted = Quoted(text);
    EXPECT_EQ(quoted.find('\n'), std::string::npos) << byte;
    const auto read = nlohmann::json::parse(quoted, nullptr, false);
    ASSERT_TRUE(read.is_string()) << byte << ": " << quoted;
    EXPECT_EQ(read.get<std::string>(), text);
  }
  EXPECT_EQ(Quoted("say \"hi\"\n\x7f"), R"("say \"hi\"\n\u007f")");
}

TEST(JsonText, WhatIsUtf8StaysAndTheRestIsReplaced) {
  for (const std::string text : {"\u00fc", "\u0800", "\xed\x9f\xbf", "\ue000", "\uffff",
                                 "\U00010000", "\U0010ffff", "\u6f22\u5b57"}) {
    EXPECT_EQ(Quoted(text), "\"" + text + "\"");
  }
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(Quoted("a\xff z"), "\"a" + bad + " z\"");
  EXPECT_EQ(Quoted("\xc3"), "\"" + bad + "\"");                      // Cut off.
  EXPECT_EQ(Quoted("\xc0\xaf"), "\"" + bad + bad + "\"");            // A longer form of '/'.
  EXPECT_EQ(Quoted("\xed\xa0\x80"), "\"" + bad + bad + bad + "\"");  // A surrogate.
  EXPECT_EQ(Quoted("\xf4\x90\x80\x80"), "\"" + bad + bad + bad + bad + "\"");  // Beyond the last.
  EXPECT_EQ(Quoted("\xe2\x82z"), "\"" + bad + bad + "z\"");
}

// Whatever two bytes stand there, a strict reader takes it.
TEST(JsonText, EveryPairOfBytesIsTaken) {
  for (int pair = 0; pair < 65'536; ++pair) {
    const std::string text = {static_cast<char>(pair / 256), static_cast<char>(pair % 256)};
    ASSERT_TRUE(nlohmann::json::accept(Quoted(text))) << pair;
  }
}

}  // namespace
}  // namespace muster::app
