#include "operator/duration.h"

#include <gtest/gtest.h>

#include "controllers/text.h"

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
    EXPECT_EQ(ParseDurationMs(controllers::DurationText(ms)).value(), ms) << text;
  }
}

TEST(Duration, RefusesTheRest) {
  for (const char* text : {"", "15", "s", ".s", "1", "-1s", "1 s", "1s ", "1d", "1e3s", "1ss",
                           "99999h1", "99999h 1s"}) {
    ASSERT_FALSE(ParseDurationMs(text).ok()) << text;
    EXPECT_NE(ParseDurationMs(text).error().message.find(" is no duration"), std::string::npos);
  }
  EXPECT_EQ(ParseDurationMs("15").error().message,
            "\"15\" is no duration such as 15s, 500ms or 1m30s");
}

TEST(Duration, TellsOneThatIsTooLongFromWhatIsNone) {
  EXPECT_EQ(ParseDurationMs("87600h").value(), 87'600LL * 3'600'000);
  for (const char* text :
       {"99999h", "87601h", "87600h1ms", "99999999999999999999s", "99999999999999999999ms",
        "87600h87600h87600h", "99999999999999999999h99999999999999999999h"}) {
    const auto read = ParseDurationMs(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().message,
              "\"" + std::string(text) + "\" is out of range: from 0s to 87600h");
  }
}

}  // namespace
}  // namespace muster::app
