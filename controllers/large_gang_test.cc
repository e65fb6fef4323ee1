// Gangs that no page can hold: their entry stands in parts, and counts as one.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "controllers/binder.h"
#include "controllers/testing/manager_rig.h"
#include "controllers/testing/names.h"
#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

using testing::FakeApi;
using testing::ManagerRig;
using testing::ProtocolRig;

constexpr std::int32_t kPods = 1'000;
const std::vector<std::string> kPages = {"p-00", "p-01", "p-02"};

// Of few pods whose nodes have long uids: three parts on four pages.
class LargeGangTest : public ::testing::Test {
 protected:
  LargeGangTest() {
    rig_.AddPods(kPods);
    for (scheduler::Decision::Bind& bind : admit_.pods) {
      bind.node_uid = std::string(2'000, 'u');
      rig_.stores.Put(bind.node, NodeRecord{.uid = bind.node_uid});
    }
  }
  [[nodiscard]] std::int64_t Bound() {
    return std::ranges::count_if(rig_.api.pods(),
                                 [](const auto& pod) { return !pod.second.node.empty(); });
  }
  [[nodiscard]] std::int64_t Deleting() {
    return std::ranges::count_if(rig_.api.pods(),
                                 [](const auto& pod) { return pod.second.deleting; });
  }

  ProtocolRig rig_{4};
  scheduler::Decision::Admit admit_ = ProtocolRig::Admit(7, kPods);
};

TEST_F(LargeGangTest, IsBoundWhenEveryPartIsStoredAndLeavesAsOne) {
  rig_.api.Hold("PUT bindingjournals/p-01");
  rig_.binder->Admit(admit_);
  rig_.Advance(1'000);
  EXPECT_EQ(rig_.page("p-02").entries.size(), 1U);
  EXPECT_EQ(rig_.api.Count("POST"), 0);
  rig_.api.Release("PUT bindingjournals/p-01");
  rig_.Run();
  EXPECT_EQ(Bound(), kPods);
  EXPECT_TRUE(rig_.Said("closed 7"));
  for (const std::string& page : kPages) {
    ASSERT_EQ(rig_.page(page).entries.size(), 1U) << page;
    for (const crds::JournalEntry::Node& node : rig_.page(page).entries[0].nodes) {
      EXPECT_EQ(rig_.api.pods().at(node.pods[0].name).journal, page + "/7");
    }
  }
  rig_.Advance(5'000);
  for (const std::string& page : kPages) EXPECT_TRUE(rig_.page(page).entries.empty()) << page;
}

// A part of it was bound by a life before, and no page names it any more.
TEST_F(LargeGangTest, IsUndoneWholeWhenItIsHalfBound) {
  for (const scheduler::Decision::Bind& bind : admit_.pods) {
    rig_.api.BindAs("p-00/3", bind.pod_key.name, bind.node);
    rig_.See(bind.pod_key.name);
  }
  rig_.api.Hold("PUT bindingjournals/p-02");
  rig_.binder->Admit(admit_);
  rig_.binder->Abandon(ProtocolRig::Abandon(7));
  rig_.Advance(1'000);
  EXPECT_TRUE(rig_.page("p-00").entries[0].abandon);
  EXPECT_EQ(rig_.api.Count("DELETE") + rig_.api.Count("PATCH"), 0);
  rig_.api.Release("PUT bindingjournals/p-02");
  rig_.Advance(1'000);
  EXPECT_EQ(Deleting(), kPods);
  EXPECT_TRUE(rig_.Said("closed 7"));
  for (const std::string& page : kPages) EXPECT_TRUE(rig_.page(page).entries.empty()) << page;
}

TEST_F(LargeGangTest, IsClosedOnlyWhenEveryPartOfItsAbandonHasLeft) {
  constexpr std::int64_t kHeld = 20;
  for (int i = 0; i < kHeld; ++i) rig_.api.Hold("POST");
  rig_.binder->Admit(admit_);
  rig_.Run();
  ASSERT_EQ(Bound(), kPods - kHeld);
  rig_.binder->Abandon(ProtocolRig::Abandon(7));
  rig_.api.Hold("PUT bindingjournals/p-01");
  rig_.Run();
  EXPECT_EQ(rig_.api.Count("PATCH") + rig_.api.Count("DELETE"), 0);
  rig_.api.Release("PUT bindingjournals/p-01");
  rig_.api.Hold("PUT bindingjournals/p-01");
  rig_.Run();
  EXPECT_EQ(Deleting(), kPods - kHeld);
  EXPECT_TRUE(rig_.page("p-00").entries.empty());
  EXPECT_FALSE(rig_.Said("closed 7"));
  rig_.api.Release("PUT bindingjournals/p-01");
  rig_.Run();
  EXPECT_TRUE(rig_.Said("closed 7"));
  for (int i = 0; i < kHeld; ++i) rig_.api.Release("POST");  // Too late to act.
  rig_.Run();
  EXPECT_EQ(Bound(), kPods - kHeld);
}

TEST_F(LargeGangTest, IsRefusedWhenItNeedsMorePagesThanThereAre) {
  ProtocolRig rig(2);
  rig.binder->Admit(admit_);
  rig.Run();
  EXPECT_EQ(rig.said,
            std::vector<std::string>{"failed 7  its journal entry needs 3 pages, there are fewer: "
                                     "1000 members are too many"});
  EXPECT_TRUE(rig.api.log().empty());
  rig.said.clear();
  rig.binder->Abandon(ProtocolRig::Abandon(7));
  EXPECT_EQ(rig.said.size(), static_cast<std::size_t>(kPods) + 1);
  EXPECT_TRUE(rig.Said("closed 7"));
}

// At the start of a leader. Two members on two nodes, each in a part on a page of its own.
class PartsFoundTest : public ::testing::Test, protected ManagerRig {
 protected:
  PartsFoundTest() {
    for (const char* node : {"n1", "n2", "n3"}) AddNode(node);
    AddQueue("q", "12");
    AddGroup("g", 2);
    for (const char* pod : {"g-0", "g-1"}) ShowPod(pod, "g");
  }
  [[nodiscard]] crds::JournalEntry Part(std::int32_t part, const std::string& pod,
                                        const std::string& node) {
    crds::JournalEntry entry = EntryOfG(41, {{pod, node}});
    entry.charges = {{testing::kGpu, 8'000}};
    entry.min_member = 2;
    entry.part = part;
    entry.parts = 2;
    return entry;
  }
  void BindAs41(const std::string& pod, const std::string& node) {
    FakeApi::Pod& stored = api_.pods().at(pod);
    stored.journal = "p-00/41";
    stored.group_uid = "uid-g";
    api_.Bind(pod, node);
    ShowPod(pod, "g");
  }
  [[nodiscard]] bool OnAPage(std::uint64_t id) {
    for (const auto& [name, page] : api_.pages()) {
      for (const crds::JournalEntry& entry : page.entries) {
        if (entry.id == id) return true;
      }
    }
    return false;
  }
};

TEST_F(PartsFoundTest, AreGoneOnWithAsOneEntry) {
  AddPages({Part(1, "g-0", "n3")}, {Part(2, "g-1", "n2")});
  Start();
  EXPECT_EQ(NodeOf("g-0"), "n3");
  EXPECT_EQ(NodeOf("g-1"), "n2");
  EXPECT_EQ(api_.pods().at("g-0").journal, "p-01/41");
  EXPECT_EQ(api_.pods().at("g-1").journal, "p-00/41");
  loop_.Advance(6'000);
  EXPECT_EQ(Entries(), 0U);
  EXPECT_TRUE(fatal_.empty());
}

TEST_F(PartsFoundTest, AreGivenUpTogetherIfOneIs) {
  BindAs41("g-0", "n3");
  crds::JournalEntry second = Part(2, "g-1", "n2");
  second.abandon = true;
  second.why = "BindTimeout";
  AddPages({second}, {Part(1, "g-0", "n3")});
  Start();
  EXPECT_TRUE(api_.pods().at("g-0").deleting);
  EXPECT_EQ(api_.Count("PATCH pods/g-1/status"), 1);
  // Both pages say so before anything is sent: two fences, two Abandons.
  const auto& log = api_.log();
  const auto sent = std::ranges::find_if(log, [](const std::string& what) {
    return what.starts_with("PATCH pods") || what.starts_with("DELETE");
  });
  EXPECT_GE(std::count_if(log.begin(), sent,
                          [](const std::string& what) { return what.starts_with("PUT"); }),
            4);
  EXPECT_FALSE(OnAPage(41));
}

// It was never sent: its pods are planned anew.
TEST_F(PartsFoundTest, AreDroppedWhenOneIsMissing) {
  AddPages({Part(1, "g-0", "n3")});
  Start();
  loop_.Advance(6'000);
  EXPECT_EQ(NodeOf("g-0"), "n1");
  EXPECT_EQ(NodeOf("g-1"), "n2");
  EXPECT_GT(JournalId(api_.pods().at("g-1").journal), 41U);
  EXPECT_EQ(Entries(), 0U);
}

// What a part that is left names as bound is completed, or undone, as any gang without an entry.
TEST_F(PartsFoundTest, LeaveTheirBoundPodsToBeCompleted) {
  BindAs41("g-0", "n3");
  AddPages({Part(1, "g-0", "n3")});
  Start();
  loop_.Advance(6'000);
  EXPECT_EQ(NodeOf("g-0"), "n3");
  EXPECT_FALSE(NodeOf("g-1").empty());
  EXPECT_EQ(api_.Count("DELETE"), 0);
  EXPECT_EQ(Entries(), 0U);
}

class ThousandsTest : public ::testing::Test, protected ManagerRig {};

TEST_F(ThousandsTest, AGangOfFiveThousandIsBound) {
  constexpr std::int32_t kMembers = 5'000;
  const std::string tail(40, 'x');
  AddQueue("q", "20000");
  AddGroup("g", kMembers);
  for (std::int32_t i = 0; i < kMembers; ++i) {
    AddNode("node-" + tail + std::to_string(i));
    ShowPod("g-" + tail + std::to_string(i), "g");
  }
  AddPages({});
  Start();
  std::size_t parts = 0;
  for (const auto& [name, page] : api_.pages()) parts += page.entries.size();
  EXPECT_EQ(parts, 2U);
  loop_.Advance(10'000);
  std::set<std::string> nodes;
  for (const auto& [name, pod] : api_.pods()) {
    if (!pod.node.empty()) nodes.insert(pod.node);
  }
  EXPECT_EQ(nodes.size(), static_cast<std::size_t>(kMembers));
  EXPECT_EQ(Entries(), 0U);
  EXPECT_EQ(telemetry_.errors(), 0);
}

}  // namespace
}  // namespace muster::controllers
