// Members that come later, or that have to move, go where those are that are there: while an entry
// is open, at a take-over, and after it.
#include "scheduler/solve/domain_range.h"

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

const Uid kRackGroup = "uid-group-g";
constexpr const char* kRackLabel = "topology.muster.dev/rack";

// Nodes a1 and a2 of 8 GPUs in rack a, b1 to b3 in rack b; gang g of 2 has to be in one rack.
class DomainRangeTest : public ::testing::Test {
 protected:
  DomainRangeTest() {
    Apply({NamespaceSeen{"default", {}}, testing::MakeQueue("q")});
    for (const char* name : {"a1", "a2", "b1", "b2", "b3"}) scheduler_.Apply(Node(name));
  }
  // The rack is the first letter of its name, unless it is said.
  static NodeSeen Node(const std::string& name, const std::string& rack = "") {
    NodeSeen node = testing::MakeNode(name, {{"nvidia.com/gpu", "8"}});
    node.labels = {{kRackLabel, rack.empty() ? name.substr(0, 1) : rack}};
    return node;
  }
  static PodSeen Member(int index) {
    return testing::MakeMember("g", index, {{"nvidia.com/gpu", "8"}});
  }
  static PodSeen BoundMember(int index, const std::string& node) {
    return testing::BoundTo(Member(index), node, "q", kRackGroup);
  }
  static GangSeen Gang(std::int32_t min_member) {
    GangSeen gang = testing::MakeGang("g", "q", min_member);
    gang.topology.required = "rack";
    return gang;
  }
  void Apply(const std::vector<Event>& events) {
    for (const Event& event : events) scheduler_.Apply(event);
  }
  std::string Decide() {
    ++now_;
    Result<Scheduler> copy = Scheduler::FromSnapshot(DefaultPolicy(), scheduler_.Snapshot());
    const Decision decision = scheduler_.Decide({Ticks{now_}, Wall{now_}}, {});
    EXPECT_EQ(scheduler_.cluster().Audit(), "");
    EXPECT_EQ(testing::EveryField(copy.value().Decide({Ticks{now_}, Wall{now_}}, {})),
              testing::EveryField(decision));
    std::string text;
    for (const auto& admit : decision.admits) {
      for (const auto& bind : admit.pods) text += bind.pod_key.name + " " + bind.node + "\n";
    }
    Decision changes;
    changes.strands = decision.strands;
    changes.amends = decision.amends;
    text += changes.ToText();
    for (const auto& abandon : decision.abandons) text += "abandon: " + abandon.text + "\n";
    return text;
  }
  std::string Message() { return scheduler_.Status(testing::GroupKey("g"))->message; }
  // g-0 on a1 and g-1 on a2, of which g-1 is bound.
  void AdmitTwo() {
    Apply({Gang(2), Member(0), Member(1), Synced{}});
    ASSERT_EQ(Decide(), "g-0 a1\ng-1 a2\n");
    Apply({BindAnswered{"uid-g-1", "a2", Answer::kDone}});
  }
  // At take-over: an entry names these nodes for g-0, which is not bound, and for g-1.
  void Find(const PodSeen& second, const std::string& node_0, const std::string& node_1) {
    EntrySeen entry;
    entry.gang = kRackGroup;
    entry.key = testing::GroupKey("g");
    entry.id = 7;
    entry.queue = "q";
    entry.min_member = 2;
    entry.members = {{"uid-g-0", node_0}, {"uid-g-1", node_1}};
    entry.timeout_ms = 10'000;
    Apply({Gang(2), Member(0), second, entry, Synced{.first_id = 8}});
  }

  Scheduler scheduler_{DefaultPolicy()};
  std::int64_t now_ = 0;
};

TEST_F(DomainRangeTest, AMemberIsMovedWithinTheDomain) {
  AdmitTwo();
  Apply({NodeGone{"a1"}, EntryStranded{kRackGroup, 1, "uid-g-0"}});
  EXPECT_EQ(Decide(), "") << "Rack b would take it.";
  EXPECT_EQ(Message(),
            "1 of 2 members bound to 1 node; g-0 waits for another node, a1 takes it no more: 0/4 "
            "nodes are available: 1 Insufficient nvidia.com/gpu, 3 node(s) were in another rack "
            "than the gang. Needs 8 nvidia.com/gpu on one node in rack a; most free is 0 on a2.");
  Apply({Node("a3")});
  EXPECT_EQ(Decide(), "amend default/g id=1\nmove default/g-0 a3\n");
}

TEST_F(DomainRangeTest, ALostMemberIsReplacedWithinTheDomain) {
  AdmitTwo();
  Apply({PodGone{"uid-g-0"}, NodeGone{"a1"}, Member(2)});
  EXPECT_EQ(Decide(), "");
  Apply({Node("a1")});
  EXPECT_EQ(Decide(), "amend default/g id=1\nreplace uid-g-0 by default/g-2 a1\n");
}

TEST_F(DomainRangeTest, ANodeThatHasLeftTheDomainIsNotTakenAgain) {
  AdmitTwo();
  Apply({Node("a1", "c"), EntryStranded{kRackGroup, 1, "uid-g-0"}});
  EXPECT_EQ(Decide(), "");
  Apply({Node("a1")});
  EXPECT_EQ(Decide(), "amend default/g id=1\nmove default/g-0 a1\n");
}

TEST_F(DomainRangeTest, ATakeOverMovesWhatIsNotWithThoseThatAreBound) {
  Find(BoundMember(1, "b1"), "a1", "b1");
  EXPECT_EQ(Decide(), "strand default/g-0 id=7\namend default/g id=7\nmove default/g-0 b2\n");
}

TEST_F(DomainRangeTest, ATakeOverKeepsWhatIsInOneDomain) {
  Find(BoundMember(1, "b1"), "b3", "b1");
  EXPECT_EQ(Decide(), "");
}

TEST_F(DomainRangeTest, ATakeOverGivesUpWhatIsSplitAndNotBound) {
  Find(Member(1), "a1", "b1");
  EXPECT_EQ(Decide(), "abandon: what was decided before the restart does not fit any more\n");
}

// Its page is lost. Rack a would be the best fit for one.
TEST_F(DomainRangeTest, WhatIsHalfBoundIsCompletedInItsDomain) {
  Apply({Gang(2), Member(0), BoundMember(1, "b1"), Synced{}});
  EXPECT_EQ(Decide(), "g-0 b2\ng-1 b1\n");
}

// Its node is back before its pod is collected.
TEST_F(DomainRangeTest, WhereTheNodeIsGoneItIsWaitedFor) {
  AdmitTwo();
  Apply({BindAnswered{"uid-g-0", "a1", Answer::kDone}, EntryClosed{kRackGroup, 1}});
  EXPECT_EQ(Decide(), "");
  Apply({PodGone{"uid-g-0"}, NodeGone{"a2"}, Member(2)});
  EXPECT_EQ(Decide(), "") << "Every rack has room.";
  Apply({Node("a2")});
  EXPECT_EQ(Decide(), "g-2 a1\n");
}

TEST_F(DomainRangeTest, OfMembersInTwoDomainsMostCount) {
  GangSeen gang = Gang(4);
  gang.ran = true;
  Apply({gang, BoundMember(0, "a1"), BoundMember(1, "b1"), BoundMember(2, "b2"), Member(3),
         Synced{}});
  EXPECT_EQ(Decide(), "g-3 b3\n");
}

// Preferred alone: near the others, else further out.
TEST_F(DomainRangeTest, WhatIsPreferredIsTriedAndNoMore) {
  GangSeen gang = Gang(2);
  gang.ran = true;
  gang.topology = {.required = "", .preferred = "rack"};
  Apply({gang, BoundMember(0, "a1"), BoundMember(1, "a2"), Member(2), Synced{}});
  EXPECT_EQ(Decide(), "g-2 b1\n");
  Apply({PodGone{"uid-g-1"}, PodGone{"uid-g-2"}, EntryClosed{kRackGroup, 1}, Member(4)});
  EXPECT_EQ(Decide(), "g-4 a2\n");
}

}  // namespace
}  // namespace muster::scheduler
