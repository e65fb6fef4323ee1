#include "crds/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster::crds {
namespace {

TEST(Time, FormatsBothForms) {
  EXPECT_EQ(FormatTime(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime(1'788'220'800'999), "2026-09-01T00:00:00Z");
  EXPECT_EQ(FormatMicroTime(1'788'220'800'250), "2026-09-01T00:00:00.250000Z");
  EXPECT_EQ(FormatTime(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(FormatMicroTime(-1), "1969-12-31T23:59:59.999000Z");
}

TEST(Time, ParsesWhatServersWrite) {
  const struct {
    const char* text;
    std::int64_t ms;
  } cases[] = {
      {"2026-09-01T00:00:00Z", 1'788'220'800'000},
      {"2026-09-01T00:00:00.250000Z", 1'788'220'800'250},
      {"2026-09-01T00:00:00.2509999999Z", 1'788'220'800'250},
      {"2026-09-01T02:00:00+02:00", 1'788'220'800'000},
      {"2026-08-31T18:30:00.5-05:30", 1'788'220'800'500},
      {"2024-02-29t12:00:00z", 1'709'208'000'000},
      {"0001-01-01T00:00:00Z", -62'135'596'800'000},
      {"9999-12-31T23:59:59Z", 253'402'300'799'000},
  };
  for (const auto& c : cases) {
    const Result<std::int64_t> parsed = ParseTime(c.text);
    ASSERT_TRUE(parsed.ok()) << c.text;
    EXPECT_EQ(parsed.value(), c.ms) << c.text;
  }
}

TEST(Time, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "2026", "2026-09-01", "2026-09-01T00:00:00", "2026-02-30T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-09-01T24:00:00Z", "2026-09-01T00:60:00Z",
        "2026-09-01T00:00:60Z", "2026-09-01T00:00:00.Z", "2026-09-01T00:00:00Zx",
        "2026-09-01T00:00:00+0200", "2026-09-01T00:00:00+24:00", "2026-9-01T00:00:00Z"}) {
    EXPECT_FALSE(ParseTime(text).ok()) << text;
  }
}

RC_GTEST_PROP(Time, FormatAndParseAgree, ()) {
  const auto ms = *rc::gen::inRange<std::int64_t>(-62'135'596'800'000, 253'402'300'800'000);
  RC_ASSERT(ParseTime(FormatMicroTime(ms)).value() == ms);
  RC_ASSERT(ParseTime(FormatTime(ms)).value() == WholeSeconds(ms));
  RC_ASSERT(WholeSeconds(ms) <= ms && ms - WholeSeconds(ms) < 1000);
}

}  // namespace
}  // namespace muster::crds
