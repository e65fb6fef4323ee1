#include "controllers/text.h"

#include <string>

#include <gtest/gtest.h>

namespace muster::controllers {
namespace {

TEST(Text, CutsAtALimitOfBytesAndAtACharacter) {
  EXPECT_EQ(CutText("short"), "short");
  EXPECT_EQ(CutText(std::string(1024, 'a')), std::string(1024, 'a'));
  EXPECT_EQ(CutText(std::string(1025, 'a')), std::string(1020, 'a') + " ...");
  // 1019 bytes and then characters of 2 bytes: 1020 would lie within the first of them.
  std::string umlauts(1019, 'a');
  for (int i = 0; i < 10; ++i) umlauts += "\xC3\xA4";
  EXPECT_EQ(CutText(umlauts), std::string(1019, 'a') + " ...");
}

TEST(Text, Plurals) {
  EXPECT_EQ(Plural(0, "node"), "0 nodes");
  EXPECT_EQ(Plural(1, "node"), "1 node");
  EXPECT_EQ(Plural(4, "node"), "4 nodes");
}

TEST(Text, Durations) {
  EXPECT_EQ(DurationText(0), "0s");
  EXPECT_EQ(DurationText(500), "500ms");
  EXPECT_EQ(DurationText(2'400), "2s400ms");
  EXPECT_EQ(DurationText(90'000), "1m30s");
  EXPECT_EQ(DurationText(86'400'000), "24h");
}

}  // namespace
}  // namespace muster::controllers
