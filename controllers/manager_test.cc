// The parts together, over the real core: from pods and nodes that a watch shows to Bindings.
#include "controllers/manager.h"

#include <gtest/gtest.h>

#include "controllers/testing/manager_rig.h"

namespace muster::controllers {
namespace {

class ManagerTest : public ::testing::Test, protected testing::ManagerRig {};

TEST_F(ManagerTest, FencesBeforeItLists) {
  api_.Hold("POST bindingjournals");
  Start();
  EXPECT_EQ(api_.Count("WATCH"), 0);
  EXPECT_FALSE(manager_->synced());
  api_.Release("POST bindingjournals");
  loop_.Advance(100);
  EXPECT_EQ(api_.Count("WATCH pods"), 1);
  EXPECT_TRUE(manager_->synced());
}

TEST_F(ManagerTest, BindsAGangAndEmptiesItsPage) {
  for (const char* node : {"n1", "n2"}) AddNode(node);
  AddQueue("q", "8");
  AddGroup("g", 2);
  for (const char* pod : {"g-0", "g-1"}) ShowPod(pod, "g");
  Start();
  EXPECT_FALSE(NodeOf("g-0").empty());
  EXPECT_FALSE(NodeOf("g-1").empty());
  EXPECT_NE(NodeOf("g-0"), NodeOf("g-1"));
  EXPECT_EQ(Entries(), 1U);
  loop_.Advance(6'000);
  EXPECT_EQ(Entries(), 0U);
  EXPECT_TRUE(manager_->Explain({.ns = "default", .name = "g"}).has_value());
  EXPECT_EQ(telemetry_.errors(), 0);
}

// After pages were lost, no Binding that only they named may act any more.
TEST_F(ManagerTest, TouchesPendingPodsWhenAPageWasMissing) {
  ShowPod("lone", "");
  Start();
  EXPECT_EQ(api_.Count("PATCH pods/lone/status"), 1);
  EXPECT_TRUE(manager_->synced());
}

TEST_F(ManagerTest, CompletesAnEntryOnItsNodes) {
  for (const char* node : {"n1", "n2", "n3"}) AddNode(node);
  AddQueue("q", "12");
  AddGroup("g", 2);
  for (const char* pod : {"g-0", "g-1"}) ShowPod(pod, "g");
  crds::JournalEntry entry;
  entry.id = 41;
  entry.ns = "default";
  entry.group_name = "g";
  entry.group_uid = "uid-g";
  entry.queue = "q";
  entry.charges = {{kGpu, 8'000}};
  entry.min_member = 2;
  entry.timeout_seconds = 300;
  for (const auto& [pod, node] : {std::pair{"g-0", "n3"}, std::pair{"g-1", "n2"}}) {
    entry.nodes.push_back(
        {.name = node,
         .uid = std::string("uid-") + node,
         .pods = {{.name = pod,
                   .uid = std::string("uid-") + pod,
                   .resource_version = std::to_string(api_.pods().at(pod).version)}}});
  }
  AddPages({entry});
  Start();
  EXPECT_EQ(NodeOf("g-0"), "n3");
  EXPECT_EQ(NodeOf("g-1"), "n2");
  EXPECT_EQ(api_.pods().at("g-0").journal, "p-01/41");
  ShowPod("lone", "");
  loop_.Advance(100);
  EXPECT_EQ(api_.pods().at("lone").journal, "p-00/42");  // Ids go on above all that were seen.
}

// Half bound by a former life, named by no entry, and without room for the rest.
TEST_F(ManagerTest, UndoesAHalfBoundGangAtItsTimeOut) {
  AddNode("n1");
  AddQueue("q", "8");
  AddGroup("g", 2);
  AddPages({});
  ShowHalf("g");
  Start();
  loop_.Advance(299'000);
  EXPECT_EQ(api_.Count("DELETE"), 0);
  EXPECT_EQ(Entries(), 0U);
  loop_.Advance(2'000);
  EXPECT_EQ(api_.Count("DELETE pods/g-0"), 1);
  EXPECT_TRUE(api_.pods().at("g-0").deleting);
  EXPECT_EQ(api_.Count("POST pods/g-1/binding"), 0);
  EXPECT_EQ(Entries(), 0U);
  EXPECT_EQ(telemetry_.errors(), 0);
}

// The same pods, but the gang ran: a member was lost while nobody led (the condition is still
// True), or before that (it is False, and the start has stayed).
class TakeOverOfARun : public ManagerTest, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(, TakeOverOfARun, ::testing::Values("True", "False"));

TEST_P(TakeOverOfARun, ReplacesWhatItHasLost) {
  AddNode("n1");
  AddQueue("q", "12");
  crds::PodGroupStatus status;
  status.start_ms = 1'000;
  status.conditions.emplace_back();
  status.conditions[0].type = "Scheduled";
  status.conditions[0].status = GetParam();
  AddGroup("g", 2, status);
  AddPages({});
  ShowHalf("g");
  Start();
  loop_.Advance(900'000);
  EXPECT_EQ(api_.Count("DELETE"), 0);
  AddNode("n2");
  loop_.Advance(1'000);
  EXPECT_EQ(NodeOf("g-1"), "n2");
  EXPECT_EQ(NodeOf("g-0"), "n1");
  EXPECT_EQ(telemetry_.errors(), 0);
}

TEST_F(ManagerTest, StopsForGoodWhenItIsDeposed) {
  AddNode("n1");
  AddQueue("q", "8");
  Start();
  for (auto& [name, page] : api_.pages()) page.meta.resource_version = api_.Version();
  ShowPod("lone", "");
  loop_.Advance(100);
  EXPECT_EQ(fatal_.size(), 1U);
  EXPECT_FALSE(manager_->synced());
  EXPECT_EQ(api_.Count("POST pods"), 0);
  EXPECT_EQ(telemetry_.errors(), 0) << "that another leads is no error";
}

}  // namespace
}  // namespace muster::controllers
