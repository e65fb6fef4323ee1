// Everything incremental is a cache: a core made anew from the snapshot decides as the live one.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/framework/policy.h"
#include "scheduler/solve/scheduler.h"
#include "scheduler/testing/builders.h"
#include "scheduler/testing/day.h"
#include "scheduler/testing/tape.h"

namespace muster::scheduler {
namespace {

using testing::Day;
using testing::DecideAll;
using testing::RandomEvent;
using testing::Tape;

Scheduler Rebuilt(const Scheduler& scheduler) {
  Result<Scheduler> copy = Scheduler::FromSnapshot(DefaultPolicy(), scheduler.Snapshot());
  MUSTER_CHECK(copy.ok());
  return std::move(copy).value();
}

// Few steps and admissions, so that searches end half way and cycles between two gangs.
constexpr Budget kSmall{.admits = 2, .search_steps = 6};

// As a user who asks all the time: that fills caches.
void AskForAll(const Scheduler& scheduler) {
  for (int i = 0; i < 8; ++i) {
    (void)scheduler.Explain(testing::GroupKey("g" + std::to_string(i)));
  }
}

// Returns what was decided.
std::string LiveADay(std::uint64_t seed, Budget budget) {
  Day day(seed);
  for (int i = 0; i < 400; ++i) {
    day.SomeEvents();
    EXPECT_EQ(day.scheduler().cluster().Audit(), "");
    Scheduler rebuilt = Rebuilt(day.scheduler());
    const std::size_t before = day.log().size();
    day.Decide(budget);
    EXPECT_EQ(day.log().substr(before), DecideAll(rebuilt, day.now(), budget));
    EXPECT_EQ(day.scheduler().Snapshot(), rebuilt.Snapshot());
    EXPECT_EQ(day.scheduler().cluster().Audit(), "");
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "seed " << seed << " step " << i;
      break;
    }
    if (seed % 2 == 0) AskForAll(day.scheduler());
  }
  return day.log();
}

void LiveTenDays(Budget budget) {
  std::string log;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) log += LiveADay(seed, budget);
  for (const char* what :
       {"admit default/g", "admit default/s", "min=0", "Timeout", "Refused", "NoFit", "GroupGone",
        "strand default/", "move default/", "replace pod-", "add default/"}) {
    EXPECT_NE(log.find(what), std::string::npos) << what;
  }
  EXPECT_EQ(log.find("lost wake-up"), std::string::npos);
}

TEST(Rebuilt, DecidesAsTheLiveCore) {
  LiveTenDays({});
}

TEST(Rebuilt, DecidesAsTheLiveCoreWithASmallBudget) {
  LiveTenDays(kSmall);
}

// No protocol at all: also what nobody is to send.
RC_GTEST_PROP(Rebuilt, DecidesAsTheLiveCoreAfterAnyEvents, ()) {
  const auto number = rc::gen::inRange<std::uint32_t>(0, 1'000'000);
  Tape tape(*rc::gen::container<std::vector<std::uint32_t>>(500, number));
  Scheduler live(DefaultPolicy());
  for (const char* node : {"n0", "n1"}) {
    live.Apply(testing::MakeNode(node, {{"cpu", "8"}, {"nvidia.com/gpu", "4"}}));
  }
  for (const char* queue : {"q0", "q1", "q2"}) live.Apply(testing::MakeQueue(queue));
  live.Apply(Synced{});
  Now now{Ticks{1000}, Wall{1000}};
  while (!tape.empty()) {
    for (std::uint32_t i = tape.Below(4); i > 0; --i) live.Apply(RandomEvent(tape));
    now.mono.ms += 100 * tape.Below(100);
    now.wall.ms = now.mono.ms;
    const Budget budget = tape.OneIn(3) ? kSmall : Budget{};
    Scheduler rebuilt = Rebuilt(live);
    RC_ASSERT(DecideAll(live, now, budget) == DecideAll(rebuilt, now, budget));
    RC_ASSERT(rebuilt.Snapshot() == live.Snapshot());
    RC_ASSERT(live.cluster().Audit() == "");
  }
}

// Who asks what a gang waits for fills caches, and none of those may be one that Decide goes by.
void DecideTheSameWhoeverAsks(std::uint64_t seed) {
  Day asked(seed), quiet(seed);
  for (int i = 0; i < 400 && !::testing::Test::HasFailure(); ++i) {
    asked.SomeEvents();
    quiet.SomeEvents();
    AskForAll(asked.scheduler());
    EXPECT_EQ(asked.DecideOnce(kSmall), quiet.DecideOnce(kSmall))
        << "seed " << seed << " step " << i;
  }
}

TEST(Rebuilt, DecidesTheSameWhoeverAsks) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) DecideTheSameWhoeverAsks(seed);
}

}  // namespace
}  // namespace muster::scheduler
