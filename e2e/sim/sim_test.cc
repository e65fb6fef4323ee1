// A fixed slice of the simulation; the long form is `make sim`.
#include <gtest/gtest.h>

#include "e2e/paths/paths.h"
#include "e2e/sim/canaries.h"
#include "e2e/sim/seeds.h"
#include "e2e/sim/world.h"

namespace muster::e2e {
namespace {

TEST(Simulation, FindsEachPlantedFaultAndOnlyThat) {
  for (const Canary& canary : Canaries(CrdsFolder())) {
    const std::vector<std::string> with = canary.play(true);
    ASSERT_FALSE(with.empty()) << canary.name;
    EXPECT_NE(with.front().find(canary.says), std::string::npos)
        << canary.name << ": " << with.front();
    EXPECT_EQ(canary.play(false), std::vector<std::string>{}) << canary.name;
  }
}

TEST(Simulation, HoldsUnderTheWeatherOfTheFirstSeeds) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    EXPECT_EQ(World(OptionsOfSeed(seed, CrdsFolder())).Run().violations, std::vector<std::string>{})
        << "muster-sim --first " << seed << " --seeds 1 --log";
  }
}

TEST(Simulation, TheSameSeedGivesTheSameBytes) {
  const WorldResult once = World(OptionsOfSeed(7, CrdsFolder())).Run();
  const WorldResult again = World(OptionsOfSeed(7, CrdsFolder())).Run();
  EXPECT_EQ(once.hash, again.hash);
  EXPECT_EQ(once.steps, again.steps);
  EXPECT_NE(once.hash, World(OptionsOfSeed(8, CrdsFolder())).Run().hash);
}

}  // namespace
}  // namespace muster::e2e
