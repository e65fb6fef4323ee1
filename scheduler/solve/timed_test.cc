// What time alone opens: searches after their backoff, and everything at each flush.
#include "scheduler/solve/timed.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/framework/policy.h"
#include "scheduler/solve/scheduler.h"
#include "scheduler/testing/builders.h"

namespace muster::scheduler {
namespace {

using testing::GroupKey;
using testing::MakeGang;
using testing::MakeMember;
using testing::MakeNode;
using testing::MakeQueue;

// Refuses while the test says so, and no event tells when it stops: a wake-up that is lost.
class Moody final : public Simple<Moody>, public PermitPlugin {
 public:
  static bool& refuses() {
    static bool refuses = false;
    return refuses;
  }
  [[nodiscard]] std::optional<std::string> Permit(
      const GangView& /*gang*/, std::span<const Assignment> /*assignments*/) const override {
    if (refuses()) return "not today";
    return std::nullopt;
  }
};
constexpr PluginDescriptor kMoody = DescribePlugin<Moody>("Moody");

Policy WithMoody() {
  Policy policy = DefaultPolicy();
  MUSTER_CHECK(policy.Enable({.plugin = &kMoody, .args = {}}).ok());
  return policy;
}

// A node of eight GPUs, a queue without ceilings.
class Timed : public ::testing::Test {
 protected:
  Timed() : scheduler_(WithMoody()) {
    Moody::refuses() = false;
    Fill();
  }
  // Anew, with these times.
  void Begin(const QueueTimes& times) {
    Policy policy = WithMoody();
    policy.SetTimes(times);
    scheduler_ = Scheduler(policy);
    Fill();
  }
  void Fill() {
    Apply(NamespaceSeen{"default", {}});
    Apply(MakeQueue("q"));
    Apply(MakeNode("n1", {{"nvidia.com/gpu", "8"}}));
    Apply(Synced{});
  }
  void Apply(const Event& event) { scheduler_.Apply(event); }
  void Submit(const std::string& name, const std::vector<std::string>& gpus) {
    Apply(MakeGang(name, "q", static_cast<std::int32_t>(gpus.size())));
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      Apply(MakeMember(name, static_cast<std::int32_t>(i), {{"nvidia.com/gpu", gpus[i]}}));
    }
  }
  Decision DecideAt(std::int64_t ms, Budget budget = {}) {
    now_ = {Ticks{ms}, Wall{ms}};
    return scheduler_.Decide(now_, budget);
  }
  [[nodiscard]] std::int32_t Attempts(const std::string& gang) const {
    return scheduler_.Status(GroupKey(gang))->attempts;
  }

  Scheduler scheduler_;
  Now now_;
};

// Each of the two would fit; both do not.
TEST_F(Timed, ASearchThatFailsThoughTheBoundPassedBacksOff) {
  Submit("g", {"5", "4"});
  std::vector<std::int64_t> waits;
  std::int64_t now = 1'000;
  for (int i = 0; i < 6; ++i) {
    const Decision decision = DecideAt(now);
    EXPECT_TRUE(decision.admits.empty());
    ASSERT_TRUE(decision.wake_at.has_value());
    waits.push_back(decision.wake_at->ms - now);
    now = decision.wake_at->ms;
  }
  EXPECT_EQ(waits, (std::vector<std::int64_t>{1000, 2000, 4000, 8000, 10'000, 10'000}));
  EXPECT_EQ(Attempts("g"), 1);  // Time alone is no news.
}

TEST_F(Timed, TheWaitsAreThoseOfThePolicy) {
  Begin({.backoff = {.first_ms = 300, .max_ms = 700}, .unschedulable_flush_ms = 60'000});
  Submit("g", {"5", "4"});
  std::vector<std::int64_t> waits;
  std::int64_t now = 1'000;
  for (int i = 0; i < 4; ++i) {
    const Decision decision = DecideAt(now);
    ASSERT_TRUE(decision.wake_at.has_value());
    waits.push_back(decision.wake_at->ms - now);
    now = decision.wake_at->ms;
  }
  EXPECT_EQ(waits, (std::vector<std::int64_t>{300, 600, 700, 700}));
}

TEST_F(Timed, TheFlushIsThatOfThePolicy) {
  Begin({.backoff = {}, .unschedulable_flush_ms = 60'000});
  Moody::refuses() = true;
  Submit("g", {"4", "4"});
  EXPECT_EQ(DecideAt(1'000).wake_at, Ticks{61'000});
  Moody::refuses() = false;
  EXPECT_EQ(DecideAt(61'000).lost_wakeups, std::vector<Key>{GroupKey("g")});
}

TEST_F(Timed, WhatHelpsMeanwhileStartsItWhenTheBackoffEnds) {
  Submit("g", {"5", "4"});
  (void)DecideAt(1'000);
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "4"}}));
  Decision decision = DecideAt(1'500);
  EXPECT_TRUE(decision.admits.empty());
  EXPECT_EQ(decision.wake_at, Ticks{2'000});
  decision = DecideAt(2'000);
  EXPECT_EQ(decision.admits.size(), 1U);
  EXPECT_TRUE(decision.lost_wakeups.empty());
  EXPECT_EQ(scheduler_.Explain(GroupKey("g"))->woken_by, "Node/n2");
  EXPECT_EQ(Attempts("g"), 2);
}

// While a shape has no slots there is nothing to search, so nothing to wait for.
TEST_F(Timed, WithoutTheBoundThereIsNoBackoff) {
  Submit("g", {"5", "9"});
  const Decision decision = DecideAt(1'000);
  EXPECT_EQ(decision.wake_at, Ticks{301'000});
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "16"}}));
  EXPECT_EQ(DecideAt(1'001).admits.size(), 1U);
}

// What is decided before its turn counts: the other takes the node, and there is nothing to search.
TEST_F(Timed, ASearchThatIsDueIsMadeInItsTurn) {
  Submit("g", {"5", "4"});
  (void)DecideAt(1'000);
  Submit("a", {"8"});
  const Decision decision = DecideAt(2'000);
  EXPECT_EQ(decision.admits.size(), 1U);
  EXPECT_EQ(decision.wake_at, Ticks{301'000});
}

// The gang that backs off speaks for its class; when it goes, the next is looked at.
TEST_F(Timed, AClassBacksOffAsOneUntilTheGangThatDoesIsGone) {
  Submit("a", {"5", "4"});
  (void)DecideAt(1'000);
  Submit("b", {"5", "4"});
  Decision decision = DecideAt(1'100);
  EXPECT_EQ(decision.wake_at, Ticks{2'000});
  Apply(GangGone{GroupKey("a")});
  for (const char* pod : {"uid-a-0", "uid-a-1"}) Apply(PodGone{pod});
  decision = DecideAt(1'200);
  EXPECT_EQ(decision.wake_at, Ticks{2'200});  // Its first search, of now.
}

// Two gangs with a search each and steps for little more than one.
TEST_F(Timed, ASearchWithAPartOfTheStepsIsNoRefusal) {
  for (const char* node : {"n2", "n3", "n4"}) Apply(MakeNode(node, {{"nvidia.com/gpu", "8"}}));
  Submit("a", {"8", "8", "7"});
  Submit("b", {"5", "3"});
  const Budget budget{.admits = 256, .search_steps = 6};
  Decision decision = DecideAt(1'000, budget);
  EXPECT_EQ(decision.admits.size(), 1U);
  EXPECT_TRUE(decision.more);
  decision = DecideAt(1'001, budget);
  ASSERT_EQ(decision.admits.size(), 1U);
  EXPECT_EQ(decision.admits[0].gang, GroupKey("b"));
}

// What fits is found as soon as a Decide has the steps for it, by this core and by one made anew.
TEST_F(Timed, ABudgetThatWasTooSmallIsNoReasonForALargerOne) {
  Submit("g", {"5", "3"});
  EXPECT_TRUE(DecideAt(1'000, {.admits = 256, .search_steps = 1}).admits.empty());
  Result<Scheduler> rebuilt = Scheduler::FromSnapshot(WithMoody(), scheduler_.Snapshot());
  ASSERT_TRUE(rebuilt.ok());
  const Decision decision = DecideAt(2'000);  // Its backoff is over.
  ASSERT_EQ(decision.admits.size(), 1U);
  EXPECT_EQ(decision.ToText(), rebuilt.value().Decide(now_, {}).ToText());
}

// The same where another gang has used the steps: not even a backoff is in the way.
TEST_F(Timed, StepsThatAnotherGangHasUsedAreNoReasonAtAll) {
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "8"}}));
  Submit("a", {"8"});
  Submit("b", {"5", "3"});
  const Decision first = DecideAt(1'000, {.admits = 256, .search_steps = 3});
  EXPECT_EQ(first.admits.size(), 1U);
  EXPECT_TRUE(first.more);
  Result<Scheduler> rebuilt = Scheduler::FromSnapshot(WithMoody(), scheduler_.Snapshot());
  ASSERT_TRUE(rebuilt.ok());
  const Decision decision = DecideAt(1'001);
  ASSERT_EQ(decision.admits.size(), 1U);
  EXPECT_EQ(decision.ToText(), rebuilt.value().Decide(now_, {}).ToText());
}

TEST_F(Timed, EveryFiveMinutesEveryClassIsAskedAndNothingIsSaid) {
  Moody::refuses() = true;
  Submit("g", {"4", "4"});
  EXPECT_EQ(DecideAt(1'000).wake_at, Ticks{301'000});
  const Decision decision = DecideAt(301'000);
  EXPECT_TRUE(decision.admits.empty());
  EXPECT_TRUE(decision.lost_wakeups.empty());
  EXPECT_EQ(decision.wake_at, Ticks{601'000});
  EXPECT_EQ(Attempts("g"), 1);
}

TEST_F(Timed, WhomOnlyTimeFindsWasOwedAWakeup) {
  Moody::refuses() = true;
  Submit("g", {"4", "4"});
  Submit("h", {"9"});
  (void)DecideAt(1'000);
  Moody::refuses() = false;
  EXPECT_TRUE(DecideAt(300'999).admits.empty());
  const Decision decision = DecideAt(301'000);
  EXPECT_EQ(decision.admits.size(), 1U);
  EXPECT_EQ(decision.lost_wakeups, std::vector<Key>{GroupKey("g")});
  EXPECT_NE(decision.ToText().find("lost wake-up of default/g\n"), std::string::npos);
}

// What an event opens at the same time is not lost.
TEST_F(Timed, AnEventAtTheSameTimeIsTheCause) {
  Submit("g", {"16"});
  (void)DecideAt(1'000);
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "16"}}));
  const Decision decision = DecideAt(301'000);
  EXPECT_EQ(decision.admits.size(), 1U);
  EXPECT_TRUE(decision.lost_wakeups.empty());
  EXPECT_FALSE(decision.wake_at.has_value() && decision.wake_at < Ticks{301'001});
}

// One Decide stays short: the rest follows at once.
TEST_F(Timed, ManyClassesAreOpenedInPortions) {
  Apply(MakeNode("n1", {{"nvidia.com/gpu", "40"}}));
  Moody::refuses() = true;
  for (int i = 0; i < 40; ++i) Submit("g" + std::to_string(i), {std::to_string(1 + i)});
  EXPECT_FALSE(DecideAt(1'000).more);
  EXPECT_TRUE(DecideAt(301'000).more);
  EXPECT_TRUE(DecideAt(301'001).more);
  const Decision rest = DecideAt(301'002);
  EXPECT_FALSE(rest.more);
  EXPECT_EQ(rest.wake_at, Ticks{601'000});
}

TEST_F(Timed, WhereNothingWaitsNothingIsScheduled) {
  Submit("g", {"9"});
  (void)DecideAt(1'000);
  Apply(GangGone{GroupKey("g")});
  Apply(PodGone{"uid-g-0"});
  EXPECT_FALSE(DecideAt(2'000).wake_at.has_value());
  Submit("h", {"9"});
  EXPECT_EQ(DecideAt(500'000).wake_at, Ticks{800'000});
}

}  // namespace
}  // namespace muster::scheduler
