#include "scheduler/model/cluster.h"

#include <gtest/gtest.h>

#include "scheduler/testing/builders_cluster.h"

namespace muster::scheduler {
namespace {

using testing::ApplyAll;
using testing::Bound;
using testing::Cpus;
using testing::Ended;
using testing::Gpus;
using testing::kGpu;
using testing::MakeForeign;
using testing::MakeGang;
using testing::MakeMember;
using testing::MakeNode;
using testing::MakeQueue;
using testing::MakeSingle;

std::int64_t Used(const Cluster& c, std::string_view node, std::string_view resource = kGpu) {
  const auto row = c.used(*c.FindNode(node));
  return row[c.resources().FindOrUnknown(resource).value];
}
std::int64_t Free(const Cluster& c, std::string_view node, std::string_view resource = kGpu) {
  const auto row = c.allocatable(*c.FindNode(node));
  return row[c.resources().FindOrUnknown(resource).value] - Used(c, node, resource);
}
std::int64_t Usage(const Cluster& c, std::string_view queue, std::string_view resource = kGpu) {
  return c.usage(*c.FindQueue(queue))[c.resources().FindOrUnknown(resource).value];
}
MemberCounts Counts(const Cluster& c, const std::string& gang) {
  return c.counts(*c.FindGang({.ns = "default", .name = gang}));
}
Record RecordOf(const Cluster& c, const PodSeen& pod) {
  return c.record(*c.FindPod(pod.uid));
}

// Finished pods use nothing, whatever became of them and although their objects stay.
TEST(Cluster, FinishedPodsUseNothing) {
  Cluster c;
  ApplyAll(c, MakeNode("n1", Gpus("4")), MakeQueue("q", Gpus("4")), MakeGang("s", "q", 4));
  for (int i = 0; i < 4; ++i) c.Apply(Bound(MakeMember("s", i, Gpus("1")), "n1", "q"));
  EXPECT_EQ(Used(c, "n1"), 4000);
  EXPECT_EQ(Usage(c, "q"), 4000);
  for (int i = 0; i < 3; ++i) {
    c.Apply(Ended(Bound(MakeMember("s", i, Gpus("1")), "n1", "q"), PodState::kSucceeded));
  }
  c.Apply(Ended(Bound(MakeMember("s", 3, Gpus("1")), "n1", "q"), PodState::kFailed));
  EXPECT_EQ(Free(c, "n1"), 4000);
  EXPECT_EQ(Used(c, "n1", "pods"), 0);
  EXPECT_EQ(Usage(c, "q"), 0);
  EXPECT_EQ(Usage(c, "q", "pods"), 0);
  EXPECT_EQ(Counts(c, "s").bound, 0);
  EXPECT_EQ(Counts(c, "s").succeeded, 3);
  EXPECT_EQ(Counts(c, "s").failed, 1);
  EXPECT_EQ(c.Audit(), "");
}

// Pods of other schedulers use the node and none of our queues; one that ends frees it.
TEST(Cluster, PodsOfOtherSchedulersUseTheNode) {
  Cluster c;
  ApplyAll(c, MakeNode("n1", Cpus("4")), MakeQueue("q", Cpus("4")),
           MakeForeign("daemon", "n1", Cpus("1")), MakeForeign("f1", "n1", Cpus("1")),
           MakeForeign("f2", "n1", Cpus("1")));
  EXPECT_EQ(Free(c, "n1", "cpu"), 1000);
  EXPECT_EQ(Usage(c, "q", "cpu"), 0);
  c.ClearTouched();
  c.Apply(Ended(MakeForeign("f1", "n1", Cpus("1")), PodState::kSucceeded));
  EXPECT_EQ(Free(c, "n1", "cpu"), 2000);
  ASSERT_EQ(c.touched().nodes.size(), 1U);
  EXPECT_EQ(c.touched().causes[c.touched().nodes[0].cause], "Pod/default/f1");
}

// Use on a node that nobody has seen is remembered, gives no capacity, and is there when the node
// joins.
TEST(Cluster, APodMayNameANodeThatDoesNotExist) {
  Cluster c;
  ApplyAll(c, MakeNode("n1", Gpus("1")), MakeQueue("q", Gpus("1")),
           MakeForeign("stray", "ghost", Gpus("1")));
  EXPECT_EQ(Free(c, "n1"), 1000);
  ASSERT_EQ(c.nodes().size(), 1U);
  EXPECT_EQ(c.node(c.nodes()[0]).name, "n1");
  EXPECT_FALSE(c.node(*c.FindNode("ghost")).exists);
  EXPECT_EQ(Free(c, "ghost"), -1000);
  c.Apply(MakeNode("ghost", Gpus("2")));
  EXPECT_EQ(Free(c, "ghost"), 1000);
  c.Apply(NodeGone{"ghost"});
  EXPECT_EQ(Used(c, "ghost"), 1000);
  c.Apply(PodGone{MakeForeign("stray", "ghost", {}).uid});
  c.ClearTouched();
  EXPECT_EQ(c.FindNode("ghost"), std::nullopt);
  EXPECT_EQ(c.Audit(), "");
}

TEST(Cluster, AllocatableMayFallBelowUse) {
  Cluster c;
  ApplyAll(c, MakeNode("n1", Gpus("8")), MakeForeign("f", "n1", Gpus("8")),
           MakeNode("n1", Gpus("6")));
  EXPECT_EQ(Free(c, "n1"), -2000);
  c.Apply(MakeNode("n1", {}));
  EXPECT_EQ(Free(c, "n1"), -8000);
}

TEST(Cluster, ARecordOnlyMovesForward) {
  const PodSeen pending = MakeMember("g", 0, Gpus("1"));
  const PodSeen bound = Bound(pending, "n1", "q");
  PodSeen leaving = bound;
  leaving.terminating = true;
  const PodSeen ended = Ended(bound, PodState::kSucceeded);
  const std::vector<std::pair<PodSeen, Record>> forward = {{pending, Record::kPending},
                                                           {bound, Record::kBound},
                                                           {leaving, Record::kTerminating},
                                                           {ended, Record::kSucceeded}};
  Cluster c;
  ApplyAll(c, MakeNode("n1", Gpus("8")), MakeGang("g", "q", 1));
  for (std::size_t i = 0; i < forward.size(); ++i) {
    c.Apply(forward[i].first);
    for (std::size_t behind = 0; behind <= i; ++behind) {
      c.Apply(forward[behind].first);
      EXPECT_EQ(RecordOf(c, pending), forward[i].second) << "after " << i << " then " << behind;
    }
  }
  c.Apply(PodGone{pending.uid});
  c.Apply(bound);
  EXPECT_EQ(c.FindPod(pending.uid), std::nullopt) << "A uid that is gone never comes back.";
  EXPECT_EQ(Used(c, "n1"), 0);
}

TEST(Cluster, GatesOpenAndNeverClose) {
  PodSeen pod = MakeMember("g", 0, Gpus("1"));
  pod.state = PodState::kGated;
  Cluster c;
  ApplyAll(c, MakeGang("g", "q", 1), pod);
  EXPECT_EQ(Counts(c, "g").gated, 1);
  EXPECT_EQ(Counts(c, "g").placeable, 0);
  ApplyAll(c, MakeMember("g", 0, Gpus("1")), pod);
  EXPECT_EQ(Counts(c, "g").gated, 0);
  EXPECT_EQ(Counts(c, "g").placeable, 1);
}

// What a bound pod is charged to, and whose member it is, by its pins alone.
TEST(Cluster, PinsDecideAboutBoundPods) {
  struct Case {
    const char* what;
    PodSeen pod;
    const char* payer;
    bool member;
  };
  PodSeen by_hand = Bound(MakeMember("g", 0, Gpus("1")), "n1", "");
  by_hand.admitted_group_uid.clear();
  PodSeen other_life = Bound(MakeMember("g", 0, Gpus("1")), "n1", "pinned");
  other_life.admitted_group_uid = "an older PodGroup";
  PodSeen relabelled = Bound(MakeMember("g", 0, Gpus("1")), "n1", "pinned");
  relabelled.gang.name = "elsewhere";
  PodSeen single_by_hand = Bound(MakeSingle("s", "mine", Gpus("1")), "n1", "");
  PodSeen labelled = by_hand;
  labelled.queue = "ignored";
  PodSeen homeless = Bound(MakeSingle("s", "", Gpus("1")), "n1", "");
  const std::vector<Case> cases = {
      {"bound by us", Bound(MakeMember("g", 0, Gpus("1")), "n1", "pinned"), "pinned", true},
      {"label edited after binding", relabelled, "pinned", true},
      {"bound for a PodGroup that is gone", other_life, "pinned", false},
      {"bound by somebody else", by_hand, "of-group", false},
      {"and with a label that is for single pods", labelled, "of-group", false},
      {"a single pod of ours", Bound(MakeSingle("s", "mine", Gpus("1")), "n1", "pinned"), "pinned",
       true},
      {"a single pod bound by somebody else", single_by_hand, "mine", false},
      {"a single pod that names no queue", homeless, "default", false},
  };
  for (const Case& test : cases) {
    for (const bool group_first : {true, false}) {
      SCOPED_TRACE(test.what);
      Cluster c;
      c.Apply(MakeNode("n1", Gpus("8")));
      if (group_first) ApplyAll(c, MakeGang("g", "of-group", 1), test.pod);
      if (!group_first) ApplyAll(c, test.pod, MakeGang("g", "of-group", 1));
      const PodId id = *c.FindPod(test.pod.uid);
      EXPECT_EQ(c.pod(id).member, test.member);
      EXPECT_EQ(Usage(c, test.payer), 1000);
      EXPECT_EQ(c.Audit(), "");
    }
  }
}

TEST(Cluster, AGroupMadeAgainDoesNotAdoptThePodsOfTheOld) {
  Cluster c;
  GangSeen again = MakeGang("g", "q", 1);
  again.uid = "another";
  ApplyAll(c, MakeNode("n1", Gpus("8")), MakeGang("g", "q", 1),
           Bound(MakeMember("g", 0, Gpus("1")), "n1", "q"), MakeMember("g", 1, Gpus("1")));
  EXPECT_EQ(Counts(c, "g").total, 2);
  ApplyAll(c, GangGone{{.ns = "default", .name = "g"}}, again);
  EXPECT_EQ(Counts(c, "g").total, 1);
  EXPECT_EQ(c.gang(*c.FindGang({.ns = "default", .name = "g"})).others.size(), 1U);
  EXPECT_EQ(Usage(c, "q"), 1000) << "It stays accounted.";
}

TEST(Cluster, APodThatCannotEndHoldsItsNodeButNotItsQueue) {
  Cluster c;
  PodSeen leaving = Bound(MakeMember("g", 0, Gpus("1")), "n1", "q");
  leaving.terminating = true;
  NodeSeen lost = MakeNode("n1", Gpus("8"));
  lost.ready = false;
  ApplyAll(c, MakeNode("n1", Gpus("8")), MakeGang("g", "q", 1), leaving);
  EXPECT_EQ(Usage(c, "q"), 1000);
  EXPECT_EQ(Counts(c, "g").bound, 0) << "It is not active.";
  c.Apply(lost);
  EXPECT_EQ(Usage(c, "q"), 0);
  EXPECT_EQ(Used(c, "n1"), 1000);
  c.Apply(MakeNode("n1", Gpus("8")));
  EXPECT_EQ(Usage(c, "q"), 1000);
  c.Apply(NodeGone{"n1"});
  EXPECT_EQ(Usage(c, "q"), 0);
  EXPECT_EQ(Used(c, "n1"), 1000);
  c.Apply(PodGone{leaving.uid});
  EXPECT_EQ(Used(c, "n1"), 0);
}

TEST(Cluster, MembersStandInRankThenNameOrder) {
  Cluster c;
  c.Apply(MakeGang("g", "q", 1));
  for (const int index : {2, 0, 10, 1}) c.Apply(MakeMember("g", index, Gpus("1")));
  PodSeen unranked = MakeMember("g", 3, Gpus("1"));
  unranked.rank = -1;
  PodSeen moved = MakeMember("g", 10, Gpus("1"));
  moved.rank = 0;
  ApplyAll(c, unranked, moved);
  std::vector<std::string> names;
  for (const PodId id : c.gang(*c.FindGang({.ns = "default", .name = "g"})).members) {
    names.push_back(c.pod(id).name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"g-0", "g-10", "g-1", "g-2", "g-3"}));
}

TEST(Cluster, ASubGroupIsWhatTheLabelSaysUntilThePodIsBound) {
  Cluster c;
  GangSeen gang = MakeGang("g", "q", 2);
  gang.sub_groups = {{"web", 1}, {"db", 1}};
  PodSeen pod = MakeMember("g", 0, Gpus("1"));
  pod.sub_group = "web";
  ApplyAll(c, MakeNode("n1", Gpus("8")), gang, pod);
  const auto sub_group = [&] { return c.pod(*c.FindPod(pod.uid)).sub_group; };
  EXPECT_EQ(sub_group(), "web");
  c.ClearTouched();
  pod.sub_group = "db";
  c.Apply(pod);
  EXPECT_EQ(sub_group(), "db");
  EXPECT_EQ(c.touched().gangs.size(), 1U);
  pod = Bound(pod, "n1", "q");
  c.Apply(pod);
  pod.sub_group = "web";
  c.Apply(pod);
  EXPECT_EQ(sub_group(), "db");
  // An edit of the sub-groups is news, a repeat is none.
  c.ClearTouched();
  c.Apply(gang);
  EXPECT_TRUE(c.touched().gangs.empty());
  gang.sub_groups[1].min_member = 0;
  c.Apply(gang);
  EXPECT_EQ(c.touched().gangs.size(), 1U);
  EXPECT_EQ(c.gang(*c.FindGang(gang.key)).sub_groups, gang.sub_groups);
  c.Apply(GangGone{gang.key});
  EXPECT_TRUE(c.gang(*c.FindGang(gang.key)).sub_groups.empty());
}

TEST(Cluster, PriorityIsTheClassElseTheHighestMember) {
  Cluster c;
  GangSeen gang = MakeGang("g", "q", 1);
  gang.priority_class = "high";
  PodSeen a = MakeMember("g", 0, Gpus("1"));
  PodSeen b = MakeMember("g", 1, Gpus("1"));
  a.priority = 3;
  b.priority = 7;
  c.Apply(gang);
  const GangId id = *c.FindGang(gang.key);
  EXPECT_EQ(c.Priority(id), 0);
  ApplyAll(c, a, b);
  EXPECT_EQ(c.Priority(id), 7);
  c.ClearTouched();
  c.Apply(PriorityClassSeen{"high", 1000});
  EXPECT_EQ(c.Priority(id), 1000);
  ASSERT_EQ(c.touched().gangs.size(), 1U);
  EXPECT_EQ(c.touched().causes[c.touched().gangs[0].cause], "PriorityClass/high");
  // What was placed with it keeps it.
  c.Apply(PriorityClassGone{"high"});
  EXPECT_FALSE(c.PriorityClass("high").has_value());
  EXPECT_EQ(c.Priority(id), 1000);
  c.Apply(PriorityClassSeen{"high", 5});
  EXPECT_EQ(c.Priority(id), 5);
}

TEST(Cluster, NoGangCountsAsMoreThanAUserMayAskFor) {
  Cluster c;
  GangSeen gang = MakeGang("g", "q", 1);
  PodSeen pod = MakeMember("g", 0, Gpus("1"));
  pod.priority = 2'000'001'000;
  ApplyAll(c, gang, pod, PriorityClassSeen{"system-node-critical", 2'000'001'000});
  const GangId id = *c.FindGang(gang.key);
  EXPECT_EQ(c.Priority(id), 1'000'000'000);
  gang.priority_class = "system-node-critical";
  c.Apply(gang);
  EXPECT_EQ(c.Priority(id), 1'000'000'000);
}

TEST(Cluster, AResourceIsCountedFromTheDayANodeOrAQueueNamesIt) {
  Cluster c;
  ApplyAll(c, MakeNode("n1", Gpus("8")), MakeForeign("f", "n1", {{"example.com/fpga", "3"}}),
           Bound(MakeSingle("s", "q", {{"example.com/fpga", "2"}}), "n1", "q"));
  const ShapeId shape = c.shape_of(*c.FindPod("uid-s"));
  EXPECT_EQ(c.request(shape)[0].first, kUnknownResource);
  const std::uint64_t version = c.shapes().version(shape);
  c.Apply(MakeQueue("q", {{"example.com/fpga", "9"}}));
  EXPECT_NE(c.request(shape)[0].first, kUnknownResource);
  EXPECT_NE(c.shapes().version(shape), version);
  EXPECT_EQ(Used(c, "n1", "example.com/fpga"), 5000);
  EXPECT_EQ(Usage(c, "q", "example.com/fpga"), 2000);
  // More names than a row had room for.
  Amounts many;
  for (int i = 10; i < 40; ++i) many.emplace_back("example.com/x" + std::to_string(i), i);
  NodeSeen wide = MakeNode("n2", {});
  wide.allocatable = many;
  c.Apply(wide);
  EXPECT_EQ(Used(c, "n1", "example.com/fpga"), 5000);
  EXPECT_EQ(Free(c, "n2", "example.com/x39"), 39);
  EXPECT_EQ(c.Audit(), "");
}

TEST(Cluster, ThousandsOfTheLargestAmountComeBackToZero) {
  Cluster c;
  const std::int64_t most = (std::int64_t{1} << 56U) - 1;
  for (int i = 0; i < 100; ++i) {
    c.Apply(MakeForeign("f" + std::to_string(i), "n1", {{"memory", "72057594037927935"}}));
  }
  c.Apply(MakeNode("n1", {{"memory", "64"}}));
  EXPECT_EQ(Used(c, "n1", "memory"), 100 * most);
  for (int i = 0; i < 100; ++i) c.Apply(PodGone{MakeForeign("f" + std::to_string(i), "", {}).uid});
  EXPECT_EQ(Free(c, "n1", "memory"), 64);
}

TEST(Cluster, ARepeatTouchesNothing) {
  Cluster c;
  const auto apply = [&c] {
    ApplyAll(c, MakeNode("n1", Gpus("8")), MakeQueue("q", Gpus("8")), MakeGang("g", "q", 1),
             Bound(MakeMember("g", 0, Gpus("1")), "n1", "q"), NamespaceSeen{"default", {}},
             PriorityClassSeen{"high", 1});
  };
  apply();
  c.ClearTouched();
  const std::uint64_t seq = c.columns().change_seq();
  apply();
  EXPECT_TRUE(c.touched().empty());
  EXPECT_TRUE(c.columns().ChangedSince(seq)->empty());
}

TEST(Cluster, APodOfOthersWithoutANodeTakesNoRow) {
  Cluster c;
  PodSeen pod = MakeForeign("p", "", Gpus("1"));
  pod.state = PodState::kPending;
  c.Apply(pod);
  EXPECT_EQ(c.FindPod(pod.uid), std::nullopt);
}

TEST(Cluster, NamespaceLabelsTouchTheGangsOfTheNamespace) {
  Cluster c;
  ApplyAll(c, MakeGang("g", "q", 1), MakeSingle("s", "q", Gpus("1")));
  c.ClearTouched();
  c.Apply(NamespaceSeen{"default", {{"team", "a"}}});
  EXPECT_EQ(c.touched().gangs.size(), 2U);
  c.ClearTouched();
  c.Apply(NamespaceSeen{"other", {{"team", "a"}}});
  EXPECT_TRUE(c.touched().empty());
}

}  // namespace
}  // namespace muster::scheduler
