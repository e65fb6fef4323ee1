#include "e2e/sim/minimums.h"

#include <gtest/gtest.h>

#include "e2e/sim/faults.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kSeeds = 500;

// Each name exactly as often as is asked for.
Counts Enough(std::span<const Minimum> minimums) {
  Counts counts;
  for (const Minimum& minimum : minimums) counts[minimum.name] = minimum.at_least;
  return counts;
}

TEST(Minimums, ACampaignThatMetEverythingIsEnough) {
  const std::vector<Minimum> faults = FaultMinimums();
  EXPECT_EQ(Judge(faults, Enough(faults), kSeeds).lacking, std::vector<std::string>{});
  EXPECT_EQ(Judge(MarkMinimums(), Enough(MarkMinimums()), kSeeds).lacking,
            std::vector<std::string>{});
}

TEST(Minimums, AFaultThatNeverStruckIsNamed) {
  const std::vector<Minimum> faults = FaultMinimums();
  ASSERT_EQ(faults.size(), kFaults);
  for (const Minimum& minimum : faults) {
    Counts counts = Enough(faults);
    counts.erase(minimum.name);
    EXPECT_EQ(Judge(faults, counts, kSeeds).lacking, std::vector<std::string>{minimum.name});
  }
}

TEST(Minimums, AMarkThatWasReachedTooSeldomIsNamed) {
  for (const Minimum& minimum : MarkMinimums()) {
    Counts counts = Enough(MarkMinimums());
    --counts[minimum.name];
    EXPECT_EQ(Judge(MarkMinimums(), counts, kSeeds).lacking,
              std::vector<std::string>{minimum.name});
  }
}

TEST(Minimums, FewSeedsAreToldAndNotAsked) {
  const Verdict verdict = Judge(MarkMinimums(), {}, 1);
  EXPECT_EQ(verdict.lacking, std::vector<std::string>{});
  EXPECT_EQ(verdict.lines.size(), MarkMinimums().size());
}

// A kind of fault that is switched off does not strike, and is counted so.
TEST(Weather, CountsWhatStruckByItsName) {
  Prng prng(1);
  Weather weather;
  Faults faults;
  faults.Set(Fault::kLostAnswer, 1'000);
  weather.Set(faults);
  EXPECT_TRUE(weather.Strikes(Fault::kLostAnswer, prng));
  EXPECT_TRUE(weather.Draw(Fault::kLostAnswer, prng));
  EXPECT_FALSE(weather.Strikes(Fault::kLateAnswer, prng));
  const Counts counts = weather.ByName();
  EXPECT_EQ(counts.size(), kFaults);
  EXPECT_EQ(counts.at("answer lost"), 1);
  EXPECT_EQ(counts.at("answer late"), 0);
}

}  // namespace
}  // namespace muster::e2e
