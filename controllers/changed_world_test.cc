// The world changes while a gang is bound: what was decided is not sent any more, or counts
// otherwise than it was meant.
#include <utility>

#include <gtest/gtest.h>

#include "controllers/testing/manager_rig.h"

namespace muster::controllers {
namespace {

using testing::FakeApi;
using testing::TextField;

class ChangedWorldTest : public ::testing::Test, protected testing::ManagerRig {
 protected:
  ChangedWorldTest() {
    for (const char* node : {"n1", "n2", "n3"}) AddNode(node);
    AddQueue("q", "12");
    AddPages({});
  }
  void ShowGang(std::int32_t min_member) {
    AddGroup("g", min_member);
    for (std::int32_t i = 0; i < min_member; ++i) ShowPod("g-" + std::to_string(i), "g");
  }
  // g-0 and g-1 are decided for n1 and n2, the page is not stored yet.
  void DecideTwo() {
    Start();
    api_.Hold("PUT");
    ShowGang(2);
    loop_.Advance(10);
  }
  void ShowAll() {
    for (const char* pod : {"g-0", "g-1"}) {
      if (api_.pods().contains(pod)) ShowPod(pod, "g");
    }
  }
};

TEST_F(ChangedWorldTest, ANodeThatIsCordonedGetsNoBindingAndTheGangIsPlannedAnew) {
  DecideTwo();
  AddNode("n1", true);
  api_.Release("PUT");
  loop_.Advance(500);  // Less than any backoff.
  EXPECT_EQ(NodeOf("g-0") + NodeOf("g-1"), "n2n3");
  EXPECT_EQ(telemetry_.count("plans_stale"), 1);
  for (const char* pod : {"g-0", "g-1"}) {
    EXPECT_EQ(api_.Count(std::string("POST pods/") + pod + "/binding"), 1) << pod;
  }
  loop_.Advance(6'000);
  EXPECT_EQ(Entries(), 0U);
}

// It is an entry of its own; with its only member it ends before anything was sent for it.
TEST_F(ChangedWorldTest, AMemberBeyondTheMinimumIsPlannedAnewAlone) {
  Start();
  ShowGang(2);
  loop_.Advance(10);
  ShowAll();
  loop_.Advance(6'000);
  api_.Hold("PUT");
  ShowPod("g-2", "g");
  loop_.Advance(10);
  AddNode("n3", true);
  loop_.Advance(10);
  api_.Release("PUT");
  loop_.Advance(100);
  EXPECT_EQ(api_.Count("POST pods/g-2/binding"), 0);
  EXPECT_EQ(NodeOf("g-2"), "");
  AddNode("n3");
  loop_.Advance(100);
  EXPECT_EQ(NodeOf("g-2"), "n3");
  EXPECT_EQ(api_.Count("DELETE"), 0);
  EXPECT_TRUE(fatal_.empty());
}

TEST_F(ChangedWorldTest, WithoutAnotherNodeItWaitsWholeAndHoldsNothing) {
  crds::Node gone;
  gone.meta.name = "n3";
  gone.meta.uid = "uid-n3";
  api_.ShowDeleted("nodes", gone);
  DecideTwo();
  AddNode("n1", true);
  api_.Release("PUT");
  loop_.Advance(10'000);
  EXPECT_EQ(NodeOf("g-0") + NodeOf("g-1"), "");
  EXPECT_EQ(ReasonOf("g"), "Unschedulable");
  EXPECT_EQ(Entries(), 0U);
  AddNode("n3");
  loop_.Advance(500);
  EXPECT_EQ(NodeOf("g-0") + NodeOf("g-1"), "n2n3");
}

// Its label names another gang by the time its Binding would leave. What is bound of the first gang
// waits for another member.
TEST_F(ChangedWorldTest, APodThatChangedItsGangIsBoundForTheNewOneAlone) {
  DecideTwo();
  AddGroup("h", 1);
  api_.Change("g-1");
  ShowPod("g-1", "h");
  api_.Release("PUT");
  loop_.Advance(10'000);
  EXPECT_EQ(api_.pods().at("g-1").group_uid, "uid-h");
  EXPECT_EQ(NodeOf("g-0"), "n1");  // Its own Binding left before that was known.
  EXPECT_EQ(Entries(), 1U);
  EXPECT_EQ(api_.Count("POST pods/g-1/binding"), 1);
  ShowPod("g-2", "g");
  loop_.Advance(10'000);
  EXPECT_EQ(api_.pods().at("g-2").group_uid, "uid-g");
  EXPECT_EQ(NodeOf("g-0"), "n1");
  EXPECT_EQ(api_.Count("DELETE"), 0);
  EXPECT_EQ(Entries(), 0U);
  EXPECT_TRUE(fatal_.empty());
}

// Without one it is undone when its time is over, and the pod that left is not.
TEST_F(ChangedWorldTest, OrIsUndoneWhenItsTimeIsOver) {
  DecideTwo();
  AddGroup("h", 1);
  api_.Change("g-1");
  ShowPod("g-1", "h");
  api_.Release("PUT");
  loop_.Advance(290'000);
  EXPECT_EQ(api_.Count("DELETE"), 0);
  loop_.Advance(20'000);
  EXPECT_TRUE(api_.pods().at("g-0").deleting);
  EXPECT_FALSE(api_.pods().at("g-1").deleting);
  EXPECT_EQ(Entries(), 0U);
}

// Made again with a request of its own: nothing of the old plan reaches it.
TEST_F(ChangedWorldTest, APodThatWasMadeAgainIsBoundByAPlanOfItsOwn) {
  DecideTwo();
  DeletePod("g-1");
  (void)api_.AddPod("g-1", "uid-g-1-again");
  ShowPod("g-1", "g");
  api_.Release("PUT");
  loop_.Advance(400'000);
  ShowAll();
  EXPECT_FALSE(NodeOf("g-1").empty());
  EXPECT_EQ(api_.Count("POST pods/g-1/binding"), 1);
  EXPECT_EQ(TextField(api_.Body("POST pods/g-1/binding"), "uid"), "uid-g-1-again");
}

class GroupGone : public ChangedWorldTest, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(, GroupGone, ::testing::Bool());

// While g-0 is bound and g-1 on its way; perhaps made again under its name.
TEST_P(GroupGone, GivesTheEntryUp) {
  api_.LoseRequest("POST pods/g-1/binding");
  api_.Hold("GET pods/g-1");
  Start();
  ShowGang(2);
  loop_.Advance(10);
  ASSERT_EQ(NodeOf("g-0"), "n1");
  ShowPod("g-0", "g");
  DeleteGroup("g");
  if (GetParam()) {
    crds::PodGroup again;
    again.meta.name = "g";
    again.meta.ns = "default";
    again.meta.uid = "uid-g-again";
    again.meta.resource_version = api_.Version();
    again.queue = "q";
    again.min_member = 2;
    api_.Show("podgroups", again);
  }
  loop_.Advance(1'000);
  EXPECT_TRUE(api_.pods().at("g-0").deleting);
  EXPECT_EQ(api_.Count("PATCH pods/g-1/status"), 1);
  EXPECT_EQ(api_.TakeEffect("POST pods/g-1/binding").status, 409);
  EXPECT_EQ(Entries(), 0U);
  EXPECT_EQ(api_.Count("POST pods/g-1/binding"), 1);
}

// A foreign binder takes g-0 to n3 before our Binding gets there.
TEST_F(ChangedWorldTest, APodThatAnotherBoundForOurGroupIsAMember) {
  DecideTwo();
  FakeApi::Pod& pod = api_.pods().at("g-0");
  pod.journal = "p-00/1";
  pod.group_uid = "uid-g";
  api_.Bind("g-0", "n3");
  api_.Release("PUT");
  loop_.Advance(10);
  ShowAll();
  loop_.Advance(400'000);  // Longer than an entry may take.
  EXPECT_EQ(NodeOf("g-0") + NodeOf("g-1"), "n3n2");
  EXPECT_EQ(api_.Count("DELETE"), 0);
  EXPECT_EQ(MessageOf("g"), "2 of 2 members bound to 2 nodes");
  EXPECT_EQ(Entries(), 0U);
}

// The node that it takes, and where the gang is placed afterwards.
using Taken = std::pair<const char*, const char*>;
class ForeignBinder : public ChangedWorldTest, public ::testing::WithParamInterface<Taken> {};

TEST_P(ForeignBinder, APodThatItBoundForNobodyIsUseAndNoMember) {
  DecideTwo();
  api_.Bind("g-0", GetParam().first);
  api_.Release("PUT");
  loop_.Advance(10);
  ShowAll();
  ASSERT_EQ(NodeOf("g-1"), "n2");
  loop_.Advance(290'000);
  EXPECT_EQ(api_.Count("DELETE"), 0);
  // Nobody takes its place, so the entry ends at its time-out. What is not ours stays.
  loop_.Advance(20'000);
  EXPECT_TRUE(api_.pods().at("g-1").deleting);
  EXPECT_EQ(Entries(), 0U);
  EXPECT_EQ(api_.Count("DELETE pods/g-0") + api_.Count("PATCH pods/g-0/status"), 0);
  DeletePod("g-1");
  for (const char* name : {"g-1", "g-2"}) {
    (void)api_.AddPod(name, std::string("uid-") + name + "-again");
    ShowPod(name, "g");
  }
  loop_.Advance(20'000);
  EXPECT_EQ(NodeOf("g-1") + NodeOf("g-2"), GetParam().second);
  EXPECT_EQ(MessageOf("g"), "2 of 2 members bound to 2 nodes");
}

// The second is the node that the entry names for it.
INSTANTIATE_TEST_SUITE_P(Nodes, ForeignBinder,
                         ::testing::Values(Taken("n3", "n1n2"), Taken("n1", "n2n3")));

}  // namespace
}  // namespace muster::controllers
