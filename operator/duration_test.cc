#include "operator/duration.h"

#include <gtest/gtest.h>

namespace muster::app {
namespace {

TEST(Duration, IsReadAndWritten) {
  const std::vector<std::pair<const char*, std::int64_t>> cases = {
      {"15s", 15'000}, {"500ms", 500},     {"1m", 60'000},          {"1m30s", 90'000},
      {"1.5s", 1'500}, {".5m", 30'000},    {"2h", 7'200'000},       {"0", 0},
      {"0s", 0},       {"1.0009s", 1'000}, {"1h1m1s1ms", 3'661'001}};
  for (const auto& [text, ms] : cases) {
    const auto read = ParseDurationMs(text);
    ASSERT_TRUE(read.ok()) << text;
    EXPECT_EQ(read.value(), ms) << text;
    EXPECT_EQ(ParseDurationMs(FormatDurationMs(ms)).value(), ms) << text;
  }
  EXPECT_EQ(FormatDurationMs(90'000), "1m30s");
  EXPECT_EQ(FormatDurationMs(0), "0s");
}

TEST(Duration, RefusesTheRest) {
  for (const char* text : {"", "15", "s", ".s", "1", "-1s", "1 s", "1s ", "1d", "1e3s", "1ss",
                           "99999999999999999999s", "87601h", "87600h1ms"}) {
    EXPECT_FALSE(ParseDurationMs(text).ok()) << text;
  }
  EXPECT_EQ(ParseDurationMs("15").error().message,
            "\"15\" is no duration such as 15s, 500ms or 1m30s");
}

}  // namespace
}  // namespace muster::app
