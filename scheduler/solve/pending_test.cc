// Where waiting pods are counted, and what a decision says of attempts for those who only show it.
#include "scheduler/solve/pending.h"

#include <string>

#include <gtest/gtest.h>

#include "scheduler/framework/policy.h"
#include "scheduler/solve/scheduler.h"
#include "scheduler/testing/builders.h"

namespace muster::scheduler {
namespace {

using testing::MakeGang;
using testing::MakeMember;
using testing::MakeNode;
using testing::MakeQueue;
using testing::MakeSingle;

class Pending : public ::testing::Test {
 protected:
  Pending() : scheduler_(DefaultPolicy()) {
    Apply(NamespaceSeen{"default", {}});
    Apply(MakeQueue("q"));
    Apply(MakeNode("n1", {{"nvidia.com/gpu", "8"}}));
    Apply(Synced{});
  }
  void Apply(const Event& event) { scheduler_.Apply(event); }
  void Submit(const std::string& gang, std::int32_t members, std::int32_t min_member) {
    GangSeen seen = MakeGang(gang, "q", min_member);
    seen.created = Wall{500};
    Apply(seen);
    for (std::int32_t i = 0; i < members; ++i) {
      Apply(MakeMember(gang, i, {{"nvidia.com/gpu", "4"}}));
    }
  }
  Decision DecideAt(std::int64_t ms, Budget budget = {}) {
    return scheduler_.Decide({Ticks{ms}, Wall{ms}}, budget);
  }
  // "active backoff unschedulable gated".
  [[nodiscard]] std::string Counts() const {
    const PendingPods pods = scheduler_.Pending();
    return std::to_string(pods.active) + " " + std::to_string(pods.backoff) + " " +
           std::to_string(pods.unschedulable) + " " + std::to_string(pods.gated);
  }

  Scheduler scheduler_;
};

TEST_F(Pending, NobodyWaitsWhenAllIsPlaced) {
  Submit("a", 2, 2);
  (void)DecideAt(1'000);
  EXPECT_EQ(Counts(), "0 0 0 0");
}

TEST_F(Pending, ARefusedGangIsUnschedulableOneThatLacksMembersIsGated) {
  Submit("a", 3, 3);
  Submit("short", 1, 2);
  PodSeen gated = MakeSingle("g", "q", {{"nvidia.com/gpu", "1"}});
  gated.state = PodState::kGated;
  Apply(gated);
  (void)DecideAt(1'000);
  EXPECT_EQ(Counts(), "0 0 3 2");
}

TEST_F(Pending, WhatTheBudgetLeavesIsActive) {
  Submit("a", 1, 1);
  Submit("b", 1, 1);
  EXPECT_TRUE(DecideAt(1'000, {.admits = 1}).more);
  EXPECT_EQ(Counts(), "1 0 0 0");
}

TEST_F(Pending, AGangThatWasRefusedForGoodIsInBackoff) {
  Submit("a", 2, 2);
  const Decision decision = DecideAt(1'000);
  ASSERT_EQ(decision.admits.size(), 1U);
  const Decision::Admit& admit = decision.admits[0];
  Apply(
      EntryFailed{.gang = admit.gang_uid, .id = admit.id, .pod = admit.pods[0].pod, .text = "403"});
  ASSERT_EQ(DecideAt(1'100).abandons.size(), 1U);
  for (const Decision::Bind& bind : admit.pods) {
    Apply(BindAnswered{.pod = bind.pod, .node = bind.node, .answer = Answer::kRefused});
  }
  Apply(EntryClosed{.gang = admit.gang_uid, .id = admit.id});
  (void)DecideAt(1'200);
  EXPECT_EQ(Counts(), "0 2 0 0");
}

TEST_F(Pending, AnAdmissionSaysHowLongAndHowOftenItsGangWaited) {
  Submit("a", 3, 3);
  EXPECT_EQ(DecideAt(1'000).refused_pods, 3);
  EXPECT_EQ(DecideAt(1'500).refused_pods, 0) << "It was not tried again.";
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "8"}}));
  const Decision decision = DecideAt(2'000);
  ASSERT_EQ(decision.admits.size(), 1U);
  EXPECT_EQ(decision.admits[0].queued, Wall{500});
  EXPECT_EQ(decision.admits[0].attempts, 2);
  EXPECT_EQ(decision.refused_pods, 0);
}

TEST_F(Pending, OneGangIsTriedForAllThatAreAlike) {
  for (const char* gang : {"a", "b", "c"}) Submit(gang, 3, 3);
  EXPECT_EQ(DecideAt(1'000).refused_pods, 3);
}

}  // namespace
}  // namespace muster::scheduler
