// Whatever goes wrong, no slot is given twice; and when it ends, everything that fits runs and no
// entry is left.
#include "controllers/testing/storm.h"

#include <gtest/gtest.h>

namespace muster::controllers {
namespace {

using testing::Storm;

TEST(Storm, GivesNoSlotTwiceAndEndsWhole) {
  std::int64_t abandoned = 0;
  std::int64_t touched = 0;
  std::int64_t replaced = 0;
  std::int64_t stranded = 0;
  std::int64_t late_refused = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Storm storm(seed);
    storm.Rage(120'000);
    storm.Calm(400'000);
    EXPECT_EQ(storm.problem(), "") << "seed " << seed;
    EXPECT_EQ(storm.bound(), storm.pods()) << "seed " << seed;
    EXPECT_EQ(storm.entries(), 0) << "seed " << seed;
    abandoned += storm.telemetry().count("entries_abandoned");
    touched += storm.telemetry().count("pods_touched");
    replaced += storm.telemetry().count("members_replaced");
    stranded += storm.telemetry().count("members_stranded");
    late_refused += storm.late_refused();
  }
  EXPECT_GE(abandoned, 5);
  EXPECT_GE(touched, 5);
  EXPECT_GE(replaced, 5);
  EXPECT_GE(stranded, 3);
  EXPECT_GE(late_refused, 5);
}

TEST(Storm, IsNothingWithoutFaults) {
  Storm storm(1);
  storm.Calm(10'000);
  EXPECT_EQ(storm.problem(), "");
  EXPECT_EQ(storm.bound(), storm.pods());
  EXPECT_EQ(storm.entries(), 0);
}

}  // namespace
}  // namespace muster::controllers
