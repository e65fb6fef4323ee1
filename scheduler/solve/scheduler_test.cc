// The core as a whole: what no scenario file shows.
#include "scheduler/solve/scheduler.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/framework/policy.h"
#include "scheduler/testing/builders.h"
#include "scheduler/testing/day.h"

namespace muster::scheduler {
namespace {

using testing::GroupKey;
using testing::MakeGang;
using testing::MakeMember;
using testing::MakeNode;
using testing::MakeQueue;

std::vector<Event> SmallCluster() {
  return {NamespaceSeen{"default", {}}, MakeQueue("q"), MakeNode("n1", {{"nvidia.com/gpu", "8"}}),
          MakeNode("n2", {{"nvidia.com/gpu", "8"}})};
}

std::vector<Event> Gang(const std::string& name, int pods, const std::string& gpus) {
  std::vector<Event> events = {MakeGang(name, "q", pods)};
  for (int i = 0; i < pods; ++i) events.push_back(MakeMember(name, i, {{"nvidia.com/gpu", gpus}}));
  return events;
}

void ApplyAll(Scheduler& scheduler, const std::vector<Event>& events) {
  for (const Event& event : events) scheduler.Apply(event);
}

TEST(Scheduler, DecidesNothingBeforeSynced) {
  Scheduler scheduler(DefaultPolicy());
  ApplyAll(scheduler, SmallCluster());
  ApplyAll(scheduler, Gang("g", 2, "8"));
  const Decision before = scheduler.Decide({Ticks{1}, Wall{1}}, {});
  EXPECT_EQ(before.ToText(), "");
  EXPECT_TRUE(before.changed_gangs.empty());
  scheduler.Apply(Synced{});
  EXPECT_EQ(scheduler.Decide({Ticks{2}, Wall{2}}, {}).admits.size(), 1U);
}

TEST(Scheduler, TheBudgetEndsACycleAndTheNextGoesOn) {
  Scheduler scheduler(DefaultPolicy());
  ApplyAll(scheduler, SmallCluster());
  for (int i = 0; i < 5; ++i) ApplyAll(scheduler, Gang("g" + std::to_string(i), 1, "1"));
  scheduler.Apply(Synced{});
  const Budget budget{.admits = 2, .search_steps = 1000};
  std::vector<std::size_t> admits;
  bool more = true;
  for (std::int64_t t = 1; more; ++t) {
    const Decision decision = scheduler.Decide({Ticks{t}, Wall{t}}, budget);
    admits.push_back(decision.admits.size());
    more = decision.more;
  }
  EXPECT_EQ(admits, (std::vector<std::size_t>{2, 2, 1}));
}

TEST(Scheduler, SaysWhatChanged) {
  Scheduler scheduler(DefaultPolicy());
  ApplyAll(scheduler, SmallCluster());
  ApplyAll(scheduler, Gang("a", 2, "8"));
  ApplyAll(scheduler, Gang("b", 2, "8"));
  scheduler.Apply(Synced{});
  Decision decision = scheduler.Decide({Ticks{1}, Wall{1}}, {});
  EXPECT_EQ(decision.changed_gangs, (std::vector<Key>{GroupKey("a"), GroupKey("b")}));
  EXPECT_EQ(decision.changed_queues, (std::vector<std::string>{"q"}));
  decision = scheduler.Decide({Ticks{2}, Wall{2}}, {});
  EXPECT_TRUE(decision.changed_gangs.empty());
  EXPECT_TRUE(decision.changed_queues.empty());
  for (int i = 0; i < 2; ++i) scheduler.Apply(PodGone{"uid-b-" + std::to_string(i)});
  scheduler.Apply(GangGone{GroupKey("b")});
  decision = scheduler.Decide({Ticks{3}, Wall{3}}, {});
  EXPECT_EQ(decision.changed_gangs, (std::vector<Key>{GroupKey("b")}));
  EXPECT_FALSE(scheduler.Status(GroupKey("b")).has_value());
}

TEST(Scheduler, TheSameInputsGiveTheSameBytes) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    testing::Day first(seed);
    testing::Day second(seed);
    for (int i = 0; i < 300; ++i) {
      for (testing::Day* day : {&first, &second}) {
        day->SomeEvents();
        day->Decide({});
      }
    }
    EXPECT_EQ(first.log(), second.log()) << seed;
    EXPECT_NE(first.log().find("admit"), std::string::npos) << seed;
  }
}

// Rows are in the order of arrival, and a core made anew has another.
TEST(Scheduler, WhoIsUndoneAtTheSameTimeIsUndoneByName) {
  Scheduler scheduler(DefaultPolicy());
  ApplyAll(scheduler, SmallCluster());
  for (const char* name : {"b", "a"}) {
    const GangSeen gang = MakeGang(name, "q", 2);
    scheduler.Apply(gang);
    const PodSeen pod = MakeMember(name, 0, {{"nvidia.com/gpu", "1"}});
    scheduler.Apply(testing::BoundTo(pod, "n1", "q", gang.uid));
  }
  scheduler.Apply(Synced{});
  EXPECT_TRUE(scheduler.Decide({Ticks{1}, Wall{1}}, {}).abandons.empty());
  const Decision decision = scheduler.Decide({Ticks{300'001}, Wall{2}}, {});
  ASSERT_EQ(decision.admits.size(), 2U);
  EXPECT_EQ(decision.admits[0].gang, GroupKey("a"));
  EXPECT_EQ(decision.abandons.size(), 2U);
}

// Two gangs of two; the first is being bound. Both members of the second would have to wait for
// another.
class TwoGangs : public ::testing::Test {
 protected:
  TwoGangs() : scheduler_(DefaultPolicy()) {
    ApplyAll(scheduler_, SmallCluster());
    ApplyAll(scheduler_, Gang("a", 2, "1"));
    scheduler_.Apply(Synced{});
    EXPECT_EQ(Decide().admits.size(), 1U);
    scheduler_.Apply(MakeGang("b", "q", 2));
    scheduler_.Apply(MakeMember("b", 0, {{"nvidia.com/gpu", "1"}}));
  }
  Decision Decide() {
    ++now_.mono.ms;
    return scheduler_.Decide(now_, {});
  }
  static PodSeen OfA(int i) { return MakeMember("a", i, {{"nvidia.com/gpu", "1"}}); }

  Scheduler scheduler_;
  Now now_;
};

// A label that is edited while its pod is promised does not make it a member of the other gang: it
// will be bound for the first.
TEST_F(TwoGangs, APromisedPodDoesNotCountForTheGangThatItsLabelNamesNow) {
  PodSeen pod = OfA(0);
  pod.gang = GroupKey("b");
  scheduler_.Apply(pod);
  EXPECT_TRUE(Decide().admits.empty());
  EXPECT_EQ(scheduler_.Status(GroupKey("b"))->reason, "NotEnoughMembers");
  scheduler_.Apply(testing::BoundTo(pod, "n1", "q", "uid-group-a"));
  EXPECT_TRUE(Decide().admits.empty());
  EXPECT_EQ(scheduler_.Status(GroupKey("a"))->bound, 1);
}

// Pins are annotations: anybody may edit them, also before the pod is first seen bound. The entry
// knows better.
TEST_F(TwoGangs, APinThatIsEditedUnderAnOpenEntryMovesNothing) {
  scheduler_.Apply(testing::BoundTo(OfA(0), "n1", "q", "uid-group-b"));
  EXPECT_TRUE(Decide().admits.empty());
  scheduler_.Apply(testing::BoundTo(OfA(1), "n1", "q", "uid-group-a"));
  scheduler_.Apply(EntryClosed{"uid-group-a", 1});
  EXPECT_TRUE(Decide().admits.empty());
  EXPECT_EQ(scheduler_.Status(GroupKey("a"))->bound, 2);
  EXPECT_EQ(scheduler_.Status(GroupKey("b"))->reason, "NotEnoughMembers");
}

// Its succeeded members are its minimum, so what waits is surplus; and nothing of it runs.
TEST(Scheduler, SurplusOfAFinishedGangIsToldThatItsQueueStopped) {
  Scheduler scheduler(DefaultPolicy());
  ApplyAll(scheduler, SmallCluster());
  GangSeen gang = MakeGang("g", "q", 1);
  gang.succeeded = 1;
  scheduler.Apply(gang);
  scheduler.Apply(MakeMember("g", 0, {{"nvidia.com/gpu", "9"}}));
  scheduler.Apply(Synced{});
  (void)scheduler.Decide({Ticks{1}, Wall{1}}, {});
  QueueSeen queue = MakeQueue("q");
  queue.stopped = true;
  scheduler.Apply(queue);
  EXPECT_EQ(scheduler.Decide({Ticks{2}, Wall{2}}, {}).changed_gangs,
            std::vector<Key>{GroupKey("g")});
  EXPECT_EQ(scheduler.Status(GroupKey("g"))->members[0].reason, "QueueNotUsable");
}

TEST(Scheduler, SurplusThatFindsNoNodeIsUnschedulableWhereNodesAreToBeBoughtForIt) {
  for (const bool autoscale : {false, true}) {
    Policy policy = DefaultPolicy();
    policy.SetAutoscaleSurplus(autoscale);
    Scheduler scheduler(policy);
    ApplyAll(scheduler, SmallCluster());
    GangSeen gang = MakeGang("g", "q", 1);
    gang.succeeded = 1;
    scheduler.Apply(gang);
    scheduler.Apply(MakeMember("g", 0, {{"nvidia.com/gpu", "9"}}));
    scheduler.Apply(Synced{});
    (void)scheduler.Decide({Ticks{1}, Wall{1}}, {});
    EXPECT_EQ(scheduler.Status(GroupKey("g"))->members[0].reason,
              autoscale ? "Unschedulable" : "Surplus");
    // That the queue admits nothing is no want of nodes.
    QueueSeen queue = MakeQueue("q");
    queue.stopped = true;
    scheduler.Apply(queue);
    (void)scheduler.Decide({Ticks{2}, Wall{2}}, {});
    EXPECT_EQ(scheduler.Status(GroupKey("g"))->members[0].reason, "QueueNotUsable");
  }
}

// Only an id that an intact page can have had says that the intent for the gang is known: neither
// one of a page that was lost, nor none at all.
TEST(Scheduler, AfterPagesWereLostAHalfBoundGangIsCompletedByIdsOfIntactEntriesAlone) {
  struct Case {
    std::uint64_t bound_by, intact_from;
    bool completed;
  };
  const std::vector<Case> cases = {{0, 0, true}, {0, 8, false}, {7, 8, false}, {8, 8, true}};
  for (const Case& test : cases) {
    Scheduler scheduler(DefaultPolicy());
    ApplyAll(scheduler, SmallCluster());
    PodSeen bound = MakeMember("g", 0, {{"nvidia.com/gpu", "1"}});
    bound = testing::BoundTo(bound, "n1", "q", "uid-group-g");
    bound.bound_by = test.bound_by;
    scheduler.Apply(MakeGang("g", "q", 2));
    scheduler.Apply(bound);
    scheduler.Apply(MakeMember("g", 1, {{"nvidia.com/gpu", "1"}}));
    scheduler.Apply(Synced{.first_id = 20, .intact_from = test.intact_from});
    EXPECT_EQ(scheduler.Decide({Ticks{1}, Wall{1}}, {}).admits.size(), test.completed ? 1U : 0U)
        << test.bound_by << " of " << test.intact_from;
  }
}

// Its PodGroup may name another queue before the API server fixes that. A leader that finds the
// entry charges by it.
TEST(Scheduler, WhatIsUndoneIsJournalledInTheQueueThatPaysForIt) {
  Scheduler scheduler(DefaultPolicy());
  ApplyAll(scheduler, SmallCluster());
  const PodSeen pod = MakeMember("g", 0, {{"nvidia.com/gpu", "1"}});
  ApplyAll(scheduler, {MakeQueue("other"), MakeGang("g", "q", 2),
                       testing::BoundTo(pod, "n1", "q", "uid-group-g"), Synced{}});
  (void)scheduler.Decide({Ticks{1}, Wall{1}}, {});
  scheduler.Apply(MakeGang("g", "other", 2));
  const Decision decision = scheduler.Decide({Ticks{400'000}, Wall{400'000}}, {});
  ASSERT_EQ(decision.abandons.size(), 1U);
  ASSERT_EQ(decision.admits.size(), 1U);
  EXPECT_EQ(decision.admits[0].queue, "q");
}

// What is remembered of a gang goes with it: nothing grows with the gangs that have been.
TEST(Scheduler, ForgetsAGangThatIsGone) {
  Scheduler scheduler(DefaultPolicy());
  ApplyAll(scheduler, SmallCluster());
  scheduler.Apply(Synced{});
  const GangSeen gang = MakeGang("g", "q", 1);
  scheduler.Apply(gang);
  const PodSeen pod = MakeMember("g", 0, {{"nvidia.com/gpu", "8"}});
  scheduler.Apply(testing::BoundTo(pod, "n1", "q", gang.uid));
  (void)scheduler.Decide({Ticks{1}, Wall{1}}, {});
  EXPECT_NE(scheduler.Snapshot().find("uid-group-g"), std::string::npos);  // It ran.
  scheduler.Apply(PodGone{pod.uid});
  scheduler.Apply(GangGone{GroupKey("g")});
  (void)scheduler.Decide({Ticks{2}, Wall{2}}, {});
  EXPECT_EQ(scheduler.Snapshot().find("uid-group-g"), std::string::npos);
}

// At take-over: an entry that fits goes on on its nodes, one that does not is given up.
TEST(Scheduler, TakesOverEntries) {
  for (const bool node_gone : {false, true}) {
    Scheduler scheduler(DefaultPolicy());
    ApplyAll(scheduler, SmallCluster());
    ApplyAll(scheduler, Gang("g", 2, "8"));
    EntrySeen entry;
    entry.gang = "uid-group-g";
    entry.key = GroupKey("g");
    entry.id = 7;
    entry.queue = "q";
    entry.min_member = 2;
    entry.members = {{"uid-g-0", "n2"}, {"uid-g-1", node_gone ? "n9" : "n1"}};
    entry.timeout_ms = 10'000;
    scheduler.Apply(entry);
    scheduler.Apply(Synced{.first_id = 8});
    const Decision decision = scheduler.Decide({Ticks{100}, Wall{100}}, {});
    EXPECT_TRUE(decision.admits.empty());
    ASSERT_EQ(decision.abandons.size(), node_gone ? 1U : 0U);
    if (node_gone) {
      EXPECT_EQ(decision.abandons[0].why, Decision::Why::kNoFit);
      continue;
    }
    // The time-out runs from the first sight of this leader.
    EXPECT_EQ(decision.wake_at, Ticks{10'100});
    const Decision late = scheduler.Decide({Ticks{10'100}, Wall{1}}, {});
    ASSERT_EQ(late.abandons.size(), 1U);
    EXPECT_EQ(late.abandons[0].why, Decision::Why::kTimeout);
  }
}

// What a gang loses after it ran is replaced alone; one that never ran whole stands or falls whole.
TEST(Scheduler, ReplacesALostMemberOfAGangThatRan) {
  for (const bool ran : {false, true}) {
    Scheduler scheduler(DefaultPolicy());
    ApplyAll(scheduler, SmallCluster());
    const GangSeen gang = MakeGang("g", "q", 2);
    scheduler.Apply(gang);
    const PodSeen first = MakeMember("g", 0, {{"nvidia.com/gpu", "8"}});
    scheduler.Apply(testing::BoundTo(first, "n1", "q", gang.uid));
    scheduler.Apply(Synced{});
    const PodSeen lost = MakeMember("g", 1, {{"nvidia.com/gpu", "8"}});
    if (ran) {
      scheduler.Apply(testing::BoundTo(lost, "n2", "q", gang.uid));
      EXPECT_TRUE(scheduler.Decide({Ticks{1}, Wall{1}}, {}).admits.empty());
      scheduler.Apply(PodGone{lost.uid});
    }
    scheduler.Apply(MakeMember("g", 2, {{"nvidia.com/gpu", "8"}}));
    const Decision decision = scheduler.Decide({Ticks{2}, Wall{2}}, {});
    ASSERT_EQ(decision.admits.size(), 1U);
    EXPECT_EQ(decision.admits[0].pods.size(), ran ? 1U : 2U);
    EXPECT_EQ(decision.admits[0].min_member, ran ? 0 : 2);
  }
}

// A foreign binder was faster for one member. Without our pin that is use of a node, and the entry
// does not reach its minimum by it; with the pin the member runs, only elsewhere.
TEST(Scheduler, AMemberThatAnotherBoundCountsForItsEntryWithOurPinAlone) {
  const PodSeen first = MakeMember("g", 0, {{"nvidia.com/gpu", "8"}});
  const PodSeen nobodys = testing::BoundTo(first, "n9", "", "");
  PodSeen ended = nobodys;
  ended.state = PodState::kSucceeded;
  const struct {
    std::string name;
    std::vector<Event> events;
    std::size_t abandons;
  } cases[] = {
      {"answered", {BindAnswered{first.uid, "n1", Answer::kElsewhere, "n9"}}, 1},
      {"seen", {nobodys}, 1},
      {"both", {BindAnswered{first.uid, "n1", Answer::kElsewhere, "n9"}, nobodys}, 1},
      {"seen on its node", {testing::BoundTo(first, "n1", "", "")}, 1},
      {"ended", {nobodys, ended}, 1},
      {"pinned", {testing::BoundTo(first, "n9", "q", "uid-group-g")}, 0},
  };
  for (const auto& c : cases) {
    Scheduler scheduler(DefaultPolicy());
    ApplyAll(scheduler, SmallCluster());
    ApplyAll(scheduler, Gang("g", 2, "8"));
    scheduler.Apply(Synced{});
    const Decision decision = scheduler.Decide({Ticks{1}, Wall{1}}, {});
    ASSERT_EQ(decision.admits.size(), 1U);
    ASSERT_EQ(decision.admits[0].pods[0].node, "n1");
    scheduler.Apply(BindAnswered{"uid-g-1", "n2", Answer::kDone});
    for (const Event& event : c.events) scheduler.Apply(event);
    const Decision late = scheduler.Decide({Ticks{300'001}, Wall{300'001}}, {});
    ASSERT_EQ(late.abandons.size(), c.abandons) << c.name;
    if (c.abandons == 0) continue;
    EXPECT_EQ(late.abandons[0].text, "1 of 2 members were bound within 300 s") << c.name;
  }
}

}  // namespace
}  // namespace muster::scheduler
