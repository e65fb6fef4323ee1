// The small parts of the core: order and backlog, retries, quota, wording.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/solve/backlog.h"
#include "scheduler/solve/quota.h"
#include "scheduler/solve/retry.h"
#include "scheduler/solve/wording.h"
#include "scheduler/testing/builders.h"

namespace muster::scheduler {
namespace {

OrderKey Order(std::int64_t number, const std::string& name) {
  OrderKey key;
  key.sort = {number};
  key.key = testing::GroupKey(name);
  return key;
}

TEST(Backlog, OnlyHeadsOfOpenClassesAreLookedAt) {
  Backlog backlog;
  const ClassKey two{Work::Kind::kMinimum, QueueId{0}, {{ShapeId{1}, 2}}};
  const ClassKey four{Work::Kind::kMinimum, QueueId{0}, {{ShapeId{1}, 4}}};
  backlog.File(GangId{1}, two, Order(1, "a"));
  backlog.File(GangId{2}, two, Order(3, "b"));
  backlog.File(GangId{3}, four, Order(2, "c"));
  EXPECT_EQ(backlog.Head(Work::Kind::kMinimum), GangId{1});
  EXPECT_EQ(backlog.PositionOf(GangId{2}), 3);
  backlog.Close(two, RefusedBy::kNodes);
  EXPECT_EQ(backlog.Head(Work::Kind::kMinimum), GangId{3});
  EXPECT_EQ(backlog.RefusalsOf(GangId{2}), 1);      // It was refused with its class.
  backlog.File(GangId{4}, two, Order(0, "first"));  // A closed class stays closed.
  EXPECT_EQ(backlog.Head(Work::Kind::kMinimum), GangId{3});
  EXPECT_EQ(backlog.RefusalsOf(GangId{4}), 0);
  backlog.Open(two, "Node/n");
  EXPECT_EQ(backlog.Head(Work::Kind::kMinimum), GangId{4});
  backlog.Remove(GangId{4});
  backlog.Remove(GangId{1});
  EXPECT_EQ(backlog.Head(Work::Kind::kMinimum), GangId{3});
  backlog.Remove(GangId{3});
  EXPECT_EQ(backlog.Head(Work::Kind::kMinimum), GangId{2});
  EXPECT_FALSE(backlog.Head(Work::Kind::kSurplus).has_value());
  EXPECT_EQ(backlog.PositionOf(GangId{3}), 0);
}

TEST(Retry, BackoffDoublesToItsBound) {
  RetryTable table;
  const Key key = testing::GroupKey("g");
  std::vector<std::int64_t> waits;
  Now now{Ticks{1'000'000}, Wall{5}};
  for (int i = 0; i < 6; ++i) {
    table.Back(key, "uid", now, BackoffRange());
    waits.push_back(table.Get(key, "uid").not_before.ms - now.mono.ms);
  }
  EXPECT_EQ(waits, (std::vector<std::int64_t>{1000, 2000, 4000, 8000, 10'000, 10'000}));
  EXPECT_EQ(table.Get(key, "uid").queue_time, Wall{5});
  // Another gang of the name starts anew.
  EXPECT_EQ(table.Get(key, "other").failures, 0);
  table.Back(key, "other", now, BackoffRange());
  EXPECT_EQ(table.Get(key, "other").failures, 1);
}

TEST(Retry, TheFirstWaitAndTheLastAreGiven) {
  std::vector<std::int64_t> waits;
  for (std::int32_t i = 0; i < 4; ++i) waits.push_back(BackoffMs(i, {.first_ms = 3, .max_ms = 7}));
  EXPECT_EQ(waits, (std::vector<std::int64_t>{3, 6, 7, 7}));
  EXPECT_EQ(BackoffMs(2'000'000'000, {.first_ms = 1, .max_ms = 3'600'000}), 3'600'000);
}

TEST(Retry, WakesEachGangOnceWhenItsTimeHasCome) {
  RetryTable table;
  table.Schedule(testing::GroupKey("a"), Ticks{50});
  table.Schedule(testing::GroupKey("a"), Ticks{30});
  table.Schedule(testing::GroupKey("b"), Ticks{40});
  EXPECT_EQ(table.next_due(), Ticks{30});
  EXPECT_TRUE(table.TakeDue(Ticks{29}).empty());
  EXPECT_EQ(table.TakeDue(Ticks{30}).size(), 1U);
  table.Forget(testing::GroupKey("b"));
  EXPECT_FALSE(table.next_due().has_value());
}

TEST(Retry, SurvivesAsText) {
  RetryTable table;
  const Key key{.ns = "a b", .name = "c:d\n", .single_pod = true};
  table.Back(key, "u 1", {Ticks{7}, Wall{9}}, BackoffRange());
  table.Edit(key, "u 1").failed_text = "pod-1: 403 \"no\"";
  table.Edit(testing::GroupKey("g"), "u2").half_since = Ticks{0};
  table.Edit(testing::GroupKey("g"), "u2").half_since_wall = Wall{9};
  table.Edit(testing::GroupKey("g"), "u2").ran = true;
  table.NoteSearch(testing::GroupKey("g"), "u2", 3, Ticks{4007});
  table.overdue_at = Ticks{300'007};
  const Result<RetryTable> copy = RetryTable::FromText(table.ToText());
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(copy.value().Get(key, "u 1"), table.Get(key, "u 1"));
  EXPECT_EQ(copy.value().Get(testing::GroupKey("g"), "u2"),
            table.Get(testing::GroupKey("g"), "u2"));
  EXPECT_EQ(copy.value().next_due(), table.next_due());
  EXPECT_EQ(copy.value().searched(), table.searched());
  EXPECT_EQ(copy.value().overdue_at, table.overdue_at);
  EXPECT_EQ(copy.value().ToText(), table.ToText());
  for (const char* bad : {"x", "3:ab", "3:abc ", "99999999999999999999:a "}) {
    EXPECT_FALSE(RetryTable::FromText(bad).ok()) << bad;
  }
}

class Quota : public ::testing::Test {
 protected:
  Quota() {
    QueueSeen queue = testing::MakeQueue("q", {{"cpu", "4"}, {"nvidia.com/gpu", "8"}});
    queue.resources[1].limited = true;
    queue.resources[1].borrowing_limit = 2000;
    cluster_.Apply(queue);
    cluster_.Apply(testing::MakeNode("n", {{"nvidia.com/gpu", "64"}, {"cpu", "64"}}));
    const PodSeen running = testing::BoundTo(
        testing::MakeSingle("r", "q", {{"nvidia.com/gpu", "6"}, {"cpu", "8"}}), "n", "q", "");
    cluster_.Apply(running);
    queue_ = *cluster_.FindQueue("q");
  }
  std::vector<Charge> Gpus(std::int64_t gpus) { return {{"nvidia.com/gpu", gpus * 1000}}; }
  Cluster cluster_;
  QueueId queue_;
};

TEST_F(Quota, HoldsNominalPlusBorrowingLimit) {
  EXPECT_TRUE(CheckQuota(cluster_, queue_, Gpus(4)).ok());
  const QuotaVerdict verdict = CheckQuota(cluster_, queue_, Gpus(5));
  ASSERT_FALSE(verdict.ok());
  EXPECT_FALSE(verdict.never);
  EXPECT_EQ(QuotaText("q", *verdict.refused),
            "Queue q: uses 6 of 8 nominal, limit 10; the gang needs 5 nvidia.com/gpu more.");
  EXPECT_TRUE(CheckQuota(cluster_, queue_, Gpus(11)).never);
}

TEST_F(Quota, WithoutALimitOrAnEntryThereIsNoCeiling) {
  EXPECT_TRUE(CheckQuota(cluster_, queue_, {{{"cpu", 1'000'000}}}).ok());
  EXPECT_TRUE(CheckQuota(cluster_, queue_, {{{"example.com/fpga", 1'000'000}}}).ok());
}

TEST_F(Quota, BorrowsAboveNominal) {
  EXPECT_FALSE(WouldBorrow(cluster_, queue_, Gpus(2)));
  EXPECT_TRUE(WouldBorrow(cluster_, queue_, Gpus(3)));
  EXPECT_TRUE(WouldBorrow(cluster_, queue_, {{{"cpu", 1}}}));
  // Nobody rations it; then somebody else does.
  const std::vector<Charge> fpga = {{"example.com/fpga", 1000}};
  EXPECT_FALSE(WouldBorrow(cluster_, queue_, fpga));
  cluster_.Apply(testing::MakeQueue("other", {{"example.com/fpga", "1"}, {"memory", "1Gi"}}));
  EXPECT_TRUE(WouldBorrow(cluster_, queue_, fpga));
  EXPECT_FALSE(WouldBorrow(cluster_, queue_, {{{"memory", 1}}}));
}

TEST_F(Quota, CountsPodsThatGoIn) {
  const PodSeen pod = testing::MakeSingle("p", "q", {{"nvidia.com/gpu", "3"}});
  cluster_.Apply(pod);
  const ShapeId shape = cluster_.shape_of(*cluster_.FindPod(pod.uid));
  EXPECT_EQ(QuotaSlots(cluster_, queue_, shape, 9), 1);
  const std::vector<Demand> demands = {{shape, 3}};
  const std::vector<Charge> charges = {{"nvidia.com/gpu", 9000}, {"pods", 3}};
  EXPECT_EQ(ChargesOf(cluster_, demands), charges);
}

TEST(Wording, IsKubeSchedulersLine) {
  EXPECT_EQ(FitErrorText(3, {{"node(s) had untolerated taint(s)", 1}, {"Insufficient cpu", 2}}),
            "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.");
  // Sorted as whole strings: "10 .." before "2 ..".
  EXPECT_EQ(JoinReasons({{"a", 2}, {"b", 10}}), "10 b, 2 a");
  EXPECT_EQ(FitErrorText(0, {}), "no nodes available to schedule pods.");
}

TEST(Wording, NamesThreeHoldersTheLargestFirst) {
  EXPECT_EQ(HoldersText("nvidia.com/gpu", {}), "");
  EXPECT_EQ(HoldersText("nvidia.com/gpu", {{"a/x", 1000}, {"a/y", 4000}}),
            "held by a/y (4), a/x (1)");
  EXPECT_EQ(HoldersText("cpu", {{"d", 1000}, {"c", 1000}, {"b", 500}, {"a", 1000}, {"e", 9}}),
            "held by a (1), c (1), d (1) and 2 more");
}

TEST(Wording, CutsAtABoundaryOfCharacters) {
  EXPECT_EQ(CutMessage("short"), "short");
  const std::string exact(kMaxMessageBytes, 'x');
  EXPECT_EQ(CutMessage(exact), exact);
  std::string wide(kMaxMessageBytes - 5, 'x');
  wide += "\xC3\xA4\xC3\xA4\xC3\xA4";  // Three characters of two bytes.
  const std::string cut = CutMessage(wide);
  EXPECT_EQ(cut, std::string(kMaxMessageBytes - 5, 'x') + " ...");
  EXPECT_LE(cut.size(), kMaxMessageBytes);
}

TEST(Wording, SaysWhoMayUseAQueue) {
  QueueSeen queue;
  queue.name = "q";
  EXPECT_EQ(NamespaceNotAllowedText(queue),
            "queue \"q\" admits no namespace: its namespaceSelector is unset ({} admits all)");
  queue.has_selector = true;
  queue.namespace_selector = {{Requirement::Op::kIn, "team", {"research"}}};
  EXPECT_EQ(NamespaceNotAllowedText(queue), "queue \"q\" admits namespaces with team=research");
  queue.namespace_selector = {{Requirement::Op::kIn, "team", {"b", "a"}},
                              {Requirement::Op::kNotIn, "env", {"dev"}},
                              {Requirement::Op::kExists, "x", {}},
                              {Requirement::Op::kDoesNotExist, "y", {}}};
  EXPECT_EQ(NamespaceNotAllowedText(queue),
            "queue \"q\" admits namespaces with !y, env!=dev, team in (a, b), x");
}

TEST(Wording, SaysWhichMembersAreMissing) {
  Cluster cluster;
  GangSeen group = testing::MakeGang("g", "q", 4);
  cluster.Apply(group);
  const auto text = [&] { return NotEnoughMembersText(cluster, *cluster.FindGang(group.key)); };
  const auto add = [&](int index, const std::string& sub, bool gated) {
    PodSeen pod = testing::MakeMember("g", index, {});
    pod.sub_group = sub;
    if (gated) pod.state = PodState::kGated;
    cluster.Apply(pod);
  };
  for (int i = 0; i < 3; ++i) add(i, "web", false);
  EXPECT_EQ(text(), "3 of 4 members exist");
  add(3, "", true);
  EXPECT_EQ(text(), "4 exist, 1 behind a scheduling gate");
  group.min_member = 5;
  group.sub_groups = {{"web", 3}, {"db", 2}};
  cluster.Apply(group);
  EXPECT_EQ(text(),
            "4 of 5 members exist; sub-group db: 0 of 2 exist; 1 member of no sub-group (label "
            "muster.dev/subgroup)");
  add(3, "db", true);  // Its label is put right.
  EXPECT_EQ(text(), "4 of 5 members exist; sub-group db: 1 of 2 exist");
  add(4, "db", false);
  EXPECT_EQ(text(),
            "5 exist, 1 behind a scheduling gate; sub-group db: 2 exist, 1 behind a "
            "scheduling gate");
  add(5, "misspelt", false);
  EXPECT_EQ(text(),
            "6 exist, 1 behind a scheduling gate; sub-group db: 2 exist, 1 behind a "
            "scheduling gate; 1 member of no sub-group (label muster.dev/subgroup)");
}

}  // namespace
}  // namespace muster::scheduler
