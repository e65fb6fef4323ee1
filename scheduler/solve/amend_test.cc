// Entries that go on with other members, or with members on other nodes.
#include "scheduler/solve/amend.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/framework/policy.h"
#include "scheduler/solve/scheduler.h"
#include "scheduler/testing/builders.h"
#include "scheduler/testing/decision_text.h"

namespace muster::scheduler {
namespace {

using testing::BoundTo;
using testing::EveryField;
using testing::GroupKey;
using testing::MakeGang;
using testing::MakeMember;
using testing::MakeNode;
using testing::MakeQueue;

const Uid kGroup = "uid-group-g";

// Nodes n1 to n3 of 8 GPUs, queue q, and gang g. Time passes only by Decide.
class AmendTest : public ::testing::Test {
 protected:
  AmendTest() {
    Apply({NamespaceSeen{"default", {}}, MakeQueue("q")});
    for (const char* name : {"n1", "n2", "n3"}) scheduler_.Apply(Node(name));
  }
  static NodeSeen Node(const std::string& name) {
    NodeSeen node = MakeNode(name, {{"nvidia.com/gpu", "8"}});
    node.uid = "uid-" + name;
    return node;
  }
  static PodSeen Member(int index, const std::string& sub_group = "") {
    PodSeen pod = MakeMember("g", index, {{"nvidia.com/gpu", "8"}});
    pod.sub_group = sub_group;
    return pod;
  }
  void Apply(const std::vector<Event>& events) {
    for (const Event& event : events) scheduler_.Apply(event);
  }
  std::string Decide(std::int64_t ms = 0) {
    now_ += 1 + ms;
    Result<Scheduler> copy = Scheduler::FromSnapshot(DefaultPolicy(), scheduler_.Snapshot());
    const Decision decision = scheduler_.Decide({Ticks{now_}, Wall{now_}}, {});
    EXPECT_EQ(scheduler_.cluster().Audit(), "");
    EXPECT_EQ(EveryField(copy.value().Decide({Ticks{now_}, Wall{now_}}, {})), EveryField(decision));
    std::string text;
    for (const auto& admit : decision.admits) text += "admit " + std::to_string(admit.id) + "\n";
    Decision changes;
    changes.strands = decision.strands;
    changes.amends = decision.amends;
    text += changes.ToText();
    for (const auto& abandon : decision.abandons) text += "abandon: " + abandon.text + "\n";
    return text;
  }
  // g-0 on n1 and g-1 on n2, of which g-1 is bound.
  void AdmitTwo() {
    Apply({MakeGang("g", "q", 2), Member(0), Member(1), Synced{}});
    ASSERT_EQ(Decide(), "admit 1\n");
    Apply({BindAnswered{"uid-g-1", "n2", Answer::kDone}});
  }
  void Strand() { Apply({NodeGone{"n1"}, EntryStranded{kGroup, 1, "uid-g-0"}}); }

  Scheduler scheduler_{DefaultPolicy()};
  std::int64_t now_ = 0;
};

TEST_F(AmendTest, AnotherPodTakesThePlaceOfALostMember) {
  AdmitTwo();
  Apply({PodGone{"uid-g-0"}});
  EXPECT_EQ(Decide(), "");
  Apply({Member(2)});
  EXPECT_EQ(Decide(), "amend default/g id=1\nreplace uid-g-0 by default/g-2 n1\n");
  EXPECT_EQ(Decide(), "");
  Apply({EntryAmended{kGroup, 1, "uid-g-2"}, BindAnswered{"uid-g-2", "n1", Answer::kDone},
         EntryClosed{kGroup, 1}});
  EXPECT_EQ(Decide(), "");
  EXPECT_TRUE(scheduler_.IsWhole(GroupKey("g")));
}

TEST_F(AmendTest, SoItIsForOneThatWasBound) {
  AdmitTwo();
  PodSeen going = BoundTo(Member(1), "n2", "q", kGroup);
  going.terminating = true;
  Apply({going, Member(2)});
  EXPECT_EQ(Decide(), "amend default/g id=1\nreplace uid-g-1 by default/g-2 n3\n")
      << "It keeps its room until it is gone.";
}

TEST_F(AmendTest, WithoutAReplacementTheEntryEndsWithItsTime) {
  AdmitTwo();
  Apply({PodGone{"uid-g-0"}});
  EXPECT_EQ(Decide(299'990), "");
  EXPECT_EQ(Decide(10), "abandon: 1 of 2 members were bound within 300 s\n");
  Apply({Member(2)});
  EXPECT_EQ(Decide(), "") << "It is too late for this entry.";
}

TEST_F(AmendTest, AReplacementThatArrivesLateHasWhatIsLeftOfTheTime) {
  AdmitTwo();
  Apply({PodGone{"uid-g-0"}, Member(2)});
  EXPECT_NE(Decide(200'000), "");
  EXPECT_EQ(Decide(99'998), "abandon: 1 of 2 members were bound within 300 s\n");
}

TEST_F(AmendTest, ASubGroupIsFilledByItsOwn) {
  GangSeen gang = MakeGang("g", "q", 2);
  gang.sub_groups = {{"web", 1}, {"db", 1}};
  Apply({gang, Member(0, "web"), Member(1, "db"), Synced{}});
  ASSERT_EQ(Decide(), "admit 1\n");
  Apply({BindAnswered{"uid-g-0", "n1", Answer::kDone}, PodGone{"uid-g-1"}, Member(2, "web")});
  EXPECT_EQ(Decide(), "");
  Apply({Member(3, "db")});
  EXPECT_EQ(Decide(), "amend default/g id=1\nreplace uid-g-1 by default/g-3 n2\n");
}

TEST_F(AmendTest, ALowerMinimumCountsAtOnceAndARaisedOneDoesNot) {
  for (const std::int32_t minimum : {1, 3}) {
    scheduler_ = Scheduler(DefaultPolicy());
    Apply({NamespaceSeen{"default", {}}, MakeQueue("q"), Node("n1"), Node("n2"), Node("n3")});
    AdmitTwo();
    Apply({PodGone{"uid-g-0"}, MakeGang("g", "q", minimum), Member(2), Member(3)});
    const std::string text = Decide();
    if (minimum == 1) {
      EXPECT_EQ(text.find("amend"), std::string::npos) << "They are surplus: " << text;
    } else {
      EXPECT_EQ(text, "amend default/g id=1\nreplace uid-g-0 by default/g-2 n1\n");
    }
  }
}

TEST_F(AmendTest, AMemberWithoutItsNodeMovesAndHoldsBothUntilThatIsWritten) {
  AdmitTwo();
  Strand();
  EXPECT_EQ(Decide(), "amend default/g id=1\nmove default/g-0 n3\n");
  Apply({Node("n1"), MakeGang("h", "q", 1), MakeMember("h", 0, {{"nvidia.com/gpu", "8"}})});
  EXPECT_EQ(Decide(), "") << "A Binding may still bring g-0 to n1.";
  Apply({EntryAmended{kGroup, 1, "uid-g-0"}});
  EXPECT_EQ(Decide(), "admit 2\n");
}

TEST_F(AmendTest, WithoutRoomItWaitsUntilTheEntryIsOutOfTime) {
  for (const bool room : {true, false}) {
    scheduler_ = Scheduler(DefaultPolicy());
    Apply({NamespaceSeen{"default", {}}, MakeQueue("q"), Node("n1"), Node("n2")});
    AdmitTwo();
    Strand();
    EXPECT_EQ(Decide(200'000), "");
    if (room) Apply({Node("n3")});
    EXPECT_EQ(Decide(), room ? "amend default/g id=1\nmove default/g-0 n3\n" : "");
    EXPECT_EQ(Decide(100'000), "abandon: 1 of 2 members were bound within 300 s\n");
  }
}

TEST_F(AmendTest, ANodeThatIsThereAgainIsTakenAgain) {
  AdmitTwo();
  NodeSeen again = Node("n1");
  again.uid = "uid-n1-again";
  Apply({NodeGone{"n1"}, again, EntryStranded{kGroup, 1, "uid-g-0"}});
  EXPECT_EQ(Decide(), "amend default/g id=1\nmove default/g-0 n1\n");
  Apply({EntryAmended{kGroup, 1, "uid-g-0"}});
  EXPECT_EQ(Decide(), "");
}

TEST_F(AmendTest, AReplacementKeepsToTheCeilingOfTheQueue) {
  AdmitTwo();
  QueueSeen queue = MakeQueue("q", {{"nvidia.com/gpu", "8"}});
  queue.resources[0].limited = true;
  Apply({queue, PodGone{"uid-g-0"}, Member(2)});
  EXPECT_EQ(Decide(), "");
  queue.resources[0].nominal *= 2;
  Apply({queue});
  EXPECT_EQ(Decide(), "amend default/g id=1\nreplace uid-g-0 by default/g-2 n1\n");
}

// At take-over: g-0 is not bound, g-1 is if `bound` says so, and the entry names n1 and n2.
class TakeOverTest : public AmendTest {
 protected:
  void Find(bool bound, const std::vector<Event>& nodes, std::int32_t min_member = 2) {
    scheduler_ = Scheduler(DefaultPolicy());
    Apply({NamespaceSeen{"default", {}}, MakeQueue("q"), Node("n2")});
    Apply(nodes);
    Apply({MakeGang("g", "q", 2), Member(0)});
    Apply({bound ? BoundTo(Member(1), "n2", "q", kGroup) : Member(1)});
    EntrySeen entry;
    entry.gang = kGroup;
    entry.key = GroupKey("g");
    entry.id = 7;
    entry.queue = "q";
    entry.min_member = min_member;
    entry.members = {{"uid-g-0", "n1"}, {"uid-g-1", "n2"}};
    entry.timeout_ms = 10'000;
    Apply({entry, Synced{.first_id = 8}});
  }
  static NodeSeen Cordoned(const std::string& name) {
    NodeSeen node = Node(name);
    node.unschedulable = true;
    return node;
  }
};

constexpr const char* kStranded = "strand default/g-0 id=7\n";
constexpr const char* kNoFit =
    "abandon: what was decided before the restart does not fit any more\n";

TEST_F(TakeOverTest, WhatFitsNoMoreIsMovedAtOnceIfThereIsRoom) {
  Find(true, {Node("n3")});
  EXPECT_EQ(Decide(), std::string(kStranded) + "amend default/g id=7\nmove default/g-0 n3\n");
}

TEST_F(TakeOverTest, ElseItWaitsForRoomWhileThereIsTime) {
  for (const bool room : {true, false}) {
    Find(true, {});
    EXPECT_EQ(Decide(500'000), kStranded) << "Its time begins with this life.";
    EXPECT_EQ(Decide(9'000), "");
    if (room) Apply({Node("n3")});
    EXPECT_EQ(Decide(), room ? "amend default/g id=7\nmove default/g-0 n3\n" : "");
    EXPECT_EQ(Decide(1'000), "abandon: 1 of 2 members were bound within 10 s\n");
  }
}

TEST_F(TakeOverTest, WithNothingBoundItIsGivenUpAtOnce) {
  Find(false, {Node("n3")});
  EXPECT_EQ(Decide(), kNoFit);
}

// Those that run beyond the minimum stay; the one that fits no more leaves, and is surplus again.
TEST_F(TakeOverTest, OfMembersBeyondTheMinimumThoseThatFitNoMoreLeave) {
  Find(true, {Node("n3")}, 0);
  EXPECT_EQ(Decide(), kStranded);
  EXPECT_EQ(Decide(), "") << "None of them is moved within the entry.";
  Apply({EntryLeft{kGroup, 7, "uid-g-0"}, EntryClosed{kGroup, 7}});
  EXPECT_EQ(Decide(), "admit 8\n");
  Find(false, {Node("n3")}, 0);
  EXPECT_EQ(Decide(), kNoFit);
}

// The node is there, but takes g-0 no more: it keeps its place there while a Binding of an earlier
// life may still bring it there, and has it again when the node is as it was.
TEST_F(TakeOverTest, SoItIsOnANodeThatIsCordonedOrTooFull) {
  PodSeen foreign = BoundTo(MakeMember("x", 0, {{"nvidia.com/gpu", "4"}}), "n1", "", "");
  foreign.ours = false;
  foreign.gang = {};
  const std::vector<std::vector<Event>> cases = {{Cordoned("n1")}, {Node("n1"), foreign}};
  for (const std::vector<Event>& nodes : cases) {
    Find(true, nodes);
    EXPECT_EQ(Decide(), kStranded);
    const NodeId n1 = *scheduler_.cluster().FindNode("n1");
    EXPECT_EQ(scheduler_.cluster().pods_on(n1).size(), nodes.size());
    EXPECT_EQ(Decide(), "");
    Apply({Node("n1"), PodGone{foreign.uid}});
    EXPECT_EQ(Decide(), "amend default/g id=7\nmove default/g-0 n1\n");
  }
}

TEST_F(TakeOverTest, ALateBindingOfAnEarlierLifeSettlesIt) {
  Find(true, {Cordoned("n1")});
  EXPECT_EQ(Decide(), kStranded);
  Apply({BoundTo(Member(0), "n1", "q", kGroup), Node("n3")});
  EXPECT_EQ(Decide(), "");
  Apply({EntryClosed{kGroup, 7}});
  EXPECT_EQ(Decide(), "");
  EXPECT_TRUE(scheduler_.IsWhole(GroupKey("g")));
}

TEST_F(TakeOverTest, WhoIsNoMemberAnyMoreIsNotMoved) {
  for (const bool bound : {true, false}) {
    Find(bound, {Node("n3")});
    PodSeen moved = Member(0);
    moved.gang = GroupKey("h");
    Apply({moved});
    EXPECT_EQ(Decide(), bound ? "" : kNoFit);
  }
}

TEST_F(TakeOverTest, AnEmptyPlaceIsFilled) {
  Find(true, {Node("n1"), Node("n3")});
  Apply({EntryLeft{kGroup, 7, "uid-g-0"}});
  EXPECT_EQ(Decide(), "amend default/g id=7\nadd default/g-0 n1\n");
}

TEST_F(TakeOverTest, OneOfTwoThatFitsIsMovedAndTheOtherWaits) {
  Apply({NamespaceSeen{"default", {}}, MakeQueue("q")});
  EntrySeen entry;
  entry.gang = kGroup;
  entry.key = GroupKey("g");
  entry.id = 7;
  entry.queue = "q";
  entry.min_member = 3;
  entry.members = {{"uid-g-0", "n8"}, {"uid-g-1", "n2"}, {"uid-g-2", "n9"}};
  entry.timeout_ms = 10'000;
  Apply({NodeGone{"n3"}, MakeGang("g", "q", 3), Member(0), Member(2)});
  Apply({BoundTo(Member(1), "n2", "q", kGroup), entry, Synced{.first_id = 8}});
  EXPECT_EQ(Decide(),
            "strand default/g-0 id=7\nstrand default/g-2 id=7\n"
            "amend default/g id=7\nmove default/g-0 n1\n");
  Apply({Node("n3")});
  EXPECT_EQ(Decide(), "amend default/g id=7\nmove default/g-2 n3\n");
}

// The minimums of its sub-groups are known to the next leader too.
TEST_F(AmendTest, ReplacesInAnEntryThatWasTakenOver) {
  GangSeen gang = MakeGang("g", "q", 2);
  gang.sub_groups = {{"web", 1}, {"db", 1}};
  EntrySeen entry;
  entry.gang = kGroup;
  entry.key = GroupKey("g");
  entry.id = 7;
  entry.queue = "q";
  entry.min_member = 2;
  entry.sub_groups = gang.sub_groups;
  entry.members = {{"uid-g-0", "n1"}, {"uid-g-1", "n2"}};
  entry.timeout_ms = 10'000;
  Apply({gang, Member(0, "web"), Member(2, "web"), Member(3, "db"), entry, Synced{.first_id = 8}});
  EXPECT_EQ(Decide(), "") << "That g-1 is gone is for the API server to say.";
  Apply({BindAnswered{"uid-g-1", "n2", Answer::kGone}});
  EXPECT_EQ(Decide(), "amend default/g id=7\nreplace uid-g-1 by default/g-3 n2\n");
}

// Whether it counts for the gang, say when a leader before this one bound it, only the pod tells.
struct TakenByOthers : AmendTest, ::testing::WithParamInterface<std::pair<const char*, bool>> {};
TEST_P(TakenByOthers, AMemberIsReplacedWhenItIsSeen) {
  const auto& [at, counts] = GetParam();
  AdmitTwo();
  Apply({Member(2), BindAnswered{"uid-g-0", "n1", Answer::kElsewhere, at}});
  EXPECT_EQ(Decide(), "");
  PodSeen seen = BoundTo(Member(0), at, counts ? "q" : "", counts ? kGroup : "");
  seen.running = false;  // Nothing else is new.
  Apply({seen});
  const std::string free = at == std::string("n1") ? "n3" : "n1";
  const std::string replaced =
      "amend default/g id=1\nreplace uid-g-0 by default/g-2 " + free + "\n";
  EXPECT_EQ(Decide(), counts ? "admit 2\n" : replaced);
}
INSTANTIATE_TEST_SUITE_P(Where, TakenByOthers,
                         ::testing::Values(std::pair("n1", false), std::pair("n3", false),
                                           std::pair("n3", true)));

// Its label was changed, so the binder takes it out of the entry before it is bound.
TEST_F(AmendTest, AMemberThatHasLeftLeavesItsPlaceToAnother) {
  AdmitTwo();
  PodSeen moved = Member(0);
  moved.gang = GroupKey("h");
  Apply({moved, Member(2)});
  EXPECT_EQ(Decide(), "") << "A Binding may still bring it to n1 for this gang.";
  Apply({EntryLeft{kGroup, 1, "uid-g-0"}});
  EXPECT_EQ(Decide(), "amend default/g id=1\nadd default/g-2 n1\n");
  EXPECT_EQ(Decide(), "");
  Apply({EntryAmended{kGroup, 1, "uid-g-2"}, BindAnswered{"uid-g-2", "n1", Answer::kDone},
         EntryClosed{kGroup, 1}});
  EXPECT_EQ(Decide(), "");
  EXPECT_TRUE(scheduler_.IsWhole(GroupKey("g")));
}

TEST_F(AmendTest, OrToItselfWhenItIsOneAgain) {
  AdmitTwo();
  Apply({EntryLeft{kGroup, 1, "uid-g-0"}});
  EXPECT_EQ(Decide(), "amend default/g id=1\nadd default/g-0 n1\n");
}

TEST_F(AmendTest, AnEmptyPlaceEndsWithTheTimeOfTheEntry) {
  AdmitTwo();
  PodSeen alone = Member(0);
  alone.gang = {.ns = "default", .name = "g-0", .single_pod = true};
  Apply({alone, EntryLeft{kGroup, 1, "uid-g-0"}});
  EXPECT_EQ(Decide(299'990), "");
  EXPECT_EQ(Decide(10), "abandon: 1 of 2 members were bound within 300 s\n");
}

// One that is no member any more is not moved: it leaves.
TEST_F(AmendTest, MovesNobodyWhoIsNoMember) {
  AdmitTwo();
  PodSeen moved = Member(0);
  moved.gang = GroupKey("h");
  Apply({moved});
  Strand();
  EXPECT_EQ(Decide(), "");
}

// Of an entry that lacks no member, but has one without its node.
TEST_F(AmendTest, MovesOneOfASubGroupToo) {
  GangSeen gang = MakeGang("g", "q", 2);
  gang.sub_groups = {{"web", 1}, {"db", 1}};
  Apply({gang, Member(0, "web"), Member(1, "db"), Synced{}});
  ASSERT_EQ(Decide(), "admit 1\n");
  Apply({BindAnswered{"uid-g-1", "n2", Answer::kDone}, Member(2, "web")});
  Strand();
  EXPECT_EQ(Decide(), "amend default/g id=1\nmove default/g-0 n3\n");
}

// Surplus members stand each for itself.
TEST_F(AmendTest, LeavesEntriesWithoutMinimumAlone) {
  Apply({MakeGang("g", "q", 1), Member(0), Member(1), Synced{}});
  ASSERT_EQ(Decide(), "admit 1\n");
  Apply({BindAnswered{"uid-g-0", "n1", Answer::kDone}, EntryClosed{kGroup, 1}});
  ASSERT_EQ(Decide(), "admit 2\n");
  Apply({EntryStranded{kGroup, 2, "uid-g-1"}});
  EXPECT_EQ(Decide(), "");
}

}  // namespace
}  // namespace muster::scheduler
