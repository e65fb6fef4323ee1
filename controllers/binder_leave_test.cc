// Members that leave an open entry: they belong to the gang no more, and what is bound stays.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/binder.h"
#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

using testing::kBind0;
using testing::kGet0;
using testing::kTouch0;
using testing::ProtocolRig;
using testing::TextField;
using Log = std::vector<std::string>;

constexpr const char* kPutPage = "PUT bindingjournals/p-00";
constexpr const char* kNoMember = "train-0: its labels were changed, it is no member any more";

// A gang of two, of which member 1 is bound; n5 has room.
class LeaveTest : public ::testing::Test {
 protected:
  explicit LeaveTest(std::vector<crds::JournalEntry> found = {}) : rig_(2, std::move(found)) {
    rig_.AddPods(2);
    rig_.stores.Put("n5", NodeRecord{.uid = "nu5"});
  }
  // The label of the pod names another gang. The watch shows it to the stores.
  void Edit(const std::string& pod) {
    rig_.api.Change(pod);
    rig_.See(pod);
    PodRecord record = *rig_.stores.pod({.ns = "default", .name = pod});
    record.gang.name = "other";
    rig_.stores.Put(record);
  }
  // The Binding of member 0 was sent and never answered; then its label is changed.
  void EditSent() {
    rig_.api.LoseRequest(kBind0);
    rig_.binder->Admit(ProtocolRig::Admit(7, 2));
    rig_.Run();
    Edit("train-0");
  }
  void AddTrain2() {
    (void)rig_.api.AddPod("train-2", "u2");
    rig_.See("train-2");
    rig_.binder->Amend(ProtocolRig::Amend(7, "", "train-2", "u2"));
  }
  void Forget() {
    rig_.said.clear();
    rig_.api.ClearLog();
  }
  [[nodiscard]] std::string Page() {
    std::string text;
    for (const auto& node : rig_.page("p-00").entries.at(0).nodes) {
      text += node.name + " " + node.uid + ":";
      for (const auto& pod : node.pods) text += " " + pod.uid;
      text += "; ";
    }
    return text;
  }

  ProtocolRig rig_;
};

TEST_F(LeaveTest, OneThatWasSentIsTouchedAndThenNamedNoMore) {
  EditSent();
  rig_.api.Hold("PUT");
  rig_.Advance(5'000);
  EXPECT_EQ(rig_.said, Log{"done u1 n1"}) << "Another leader would still bind it.";
  EXPECT_EQ(TextField(rig_.api.Body(kTouch0), "message").rfind(kNoMember, 0), 0U);
  EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 409);
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_EQ(rig_.said, (Log{"done u1 n1", "left 7 u0"}));
  EXPECT_EQ(Page(), "n1 nu1: u1; ");
  EXPECT_EQ(rig_.page("p-00").entries[0].min_member, 2);
  rig_.Advance(60'000);
  EXPECT_EQ(rig_.api.Count(kBind0), 1);
  EXPECT_EQ(rig_.api.Count("DELETE"), 0);
  EXPECT_EQ(rig_.binder->open_entries(), 1U) << "It lacks a member.";
}

TEST_F(LeaveTest, AnotherPodComesIntoItsPlace) {
  EditSent();
  rig_.Advance(5'000);
  Forget();
  AddTrain2();
  rig_.Run();
  EXPECT_EQ(rig_.api.log(), (Log{kPutPage, "POST pods/train-2/binding"}));
  EXPECT_EQ(rig_.said, (Log{"amended 7 u2", "done u2 n5", "closed 7"}));
  EXPECT_EQ(Page(), "n1 nu1: u1; n5 nu5: u2; ");
  EXPECT_EQ(rig_.api.pods().at("train-2").journal, "p-00/7");
}

// Its label says so again.
TEST_F(LeaveTest, OrItselfOnceMore) {
  EditSent();
  rig_.Advance(5'000);
  rig_.See("train-0");
  rig_.binder->Amend(ProtocolRig::Amend(7, "", "train-0", "u0"));
  rig_.Run();
  EXPECT_EQ(rig_.api.pods().at("train-0").node, "n5");
  EXPECT_EQ(Page(), "n1 nu1: u1; n5 nu5: u0; ");
  EXPECT_TRUE(rig_.Said("closed 7"));
}

TEST_F(LeaveTest, ItMayStandInAnotherEntryThen) {
  EditSent();
  rig_.Advance(5'000);
  auto admit = ProtocolRig::Admit(8, 1);
  admit.pods[0].node = "n5";
  admit.pods[0].node_uid = "nu5";
  admit.gang.name = "other";
  admit.gang_uid = "g-other";
  crds::PodGroup group;
  group.meta.ns = "default";
  group.meta.name = "other";
  group.meta.uid = "g-other";
  rig_.stores.Put(group);
  rig_.binder->Admit(admit);
  rig_.Run();
  EXPECT_EQ(rig_.api.pods().at("train-0").journal, "p-00/8");
  EXPECT_TRUE(rig_.Said("closed 8"));
  AddTrain2();
  rig_.Run();
  EXPECT_TRUE(rig_.Said("closed 7"));
}

TEST_F(LeaveTest, OneThatWasBoundBeforeTheTouchStays) {
  EditSent();
  EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 409) << "The label moved its version.";
  rig_.api.BindAs("p-00/7", "train-0", "n0");
  rig_.Advance(5'000);
  EXPECT_EQ(rig_.said, (Log{"done u1 n1", "done u0 n0", "closed 7"}));
  EXPECT_EQ(rig_.api.Count("DELETE"), 0);
}

// Nothing is bound or on its way: the gang is planned anew as a whole.
TEST_F(LeaveTest, WithoutOthersThatHaveBegunTheEntryEnds) {
  rig_.api.LoseRequest(kBind0);
  rig_.binder->Admit(ProtocolRig::Admit(7, 1));
  rig_.Run();
  Edit("train-0");
  rig_.Advance(5'000);
  EXPECT_EQ(rig_.said, Log{std::string("stale 7 u0 ") + kNoMember});
}

// The last that a page names cannot leave it.
TEST_F(LeaveTest, OfTwoThatLeaveTheSecondEndsTheEntry) {
  rig_.api.LoseRequest(kBind0);
  rig_.api.LoseRequest("POST pods/train-1/binding");
  rig_.binder->Admit(ProtocolRig::Admit(7, 2));
  rig_.Run();
  Edit("train-0");
  Edit("train-1");
  rig_.Advance(10'000);
  const auto stale = [](const std::string& said) { return said.rfind("stale 7 ", 0) == 0; };
  EXPECT_EQ(std::count_if(rig_.said.begin(), rig_.said.end(), stale), 1);
  rig_.binder->Abandon(ProtocolRig::Abandon(7));
  rig_.Advance(10'000);
  EXPECT_TRUE(rig_.Said("closed 7"));
  EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 409);
}

TEST_F(LeaveTest, OneThatWaitsForANodeLeavesAtOnce) {
  rig_.api.LoseRequest(kBind0);
  rig_.binder->Admit(ProtocolRig::Admit(7, 2));
  rig_.Run();
  rig_.stores.EraseNode("n0");
  rig_.Advance(1'000);
  ASSERT_TRUE(rig_.Said("stranded 7 u0"));
  rig_.binder->Observe(rig_.Seen("train-0"));
  rig_.Advance(1'000);
  EXPECT_FALSE(rig_.Said("left 7 u0")) << "Nothing of it has changed.";
  Edit("train-0");
  rig_.binder->Observe(rig_.Seen("train-0"));
  rig_.Advance(1'000);
  EXPECT_TRUE(rig_.Said("left 7 u0"));
  EXPECT_EQ(rig_.api.Count(kTouch0), 1);
}

// At each step: what was its node is free in the end, and what is bound is deleted.
TEST_F(LeaveTest, TheEntryMayBeGivenUpMeanwhile) {
  for (const char* held : {kTouch0, "PUT"}) {
    ProtocolRig rig;
    rig.AddPods(2);
    rig.api.LoseRequest(kBind0);
    rig.binder->Admit(ProtocolRig::Admit(7, 2));
    rig.Run();
    PodRecord record = *rig.stores.pod({.ns = "default", .name = "train-0"});
    record.gang.name = "other";
    rig.stores.Put(record);
    rig.api.Hold(held);
    rig.Advance(5'000);
    rig.binder->Abandon(ProtocolRig::Abandon(7));
    rig.Run();
    rig.api.Release(held);
    rig.Advance(10'000);
    const bool left = held == std::string("PUT");
    EXPECT_EQ(rig.Said("left 7 u0"), left) << held;
    EXPECT_EQ(rig.Said("refused u0 n0"), !left) << held;
    EXPECT_EQ(rig.api.TakeEffect(kBind0).status, 409) << held;
    EXPECT_TRUE(rig.api.pods().at("train-1").deleting) << held;
    EXPECT_TRUE(rig.Said("closed 7")) << held;
  }
}

// It is gone before the page without it is stored: then it is lost, and its place is empty too.
TEST_F(LeaveTest, OneThatGoesMeanwhileIsReplacedAsOneThatIsLost) {
  EditSent();
  rig_.api.Hold("PUT");
  rig_.Advance(5'000);
  rig_.binder->Observe(scheduler::PodGone{"u0"});
  (void)rig_.api.AddPod("train-2", "u2");
  rig_.See("train-2");
  rig_.binder->Amend(ProtocolRig::Amend(7, "u0", "train-2", "u2"));
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_FALSE(rig_.Said("left 7 u0"));
  EXPECT_EQ(Page(), "n1 nu1: u1; n5 nu5: u2; ");
  EXPECT_TRUE(rig_.Said("closed 7"));
}

// A pod that was to come into the empty place is gone at once, or the entry is.
TEST_F(LeaveTest, APodThatComesAndGoesLeavesThePlaceEmpty) {
  EditSent();
  rig_.Advance(5'000);
  rig_.binder->Amend(ProtocolRig::Amend(7, "", "train-2", "u2"));
  rig_.Run();
  EXPECT_EQ(Page(), "n1 nu1: u1; ");
  (void)rig_.api.AddPod("train-3", "u3");
  rig_.See("train-3");
  rig_.binder->Amend(ProtocolRig::Amend(7, "u2", "train-3", "u3"));
  rig_.Run();
  EXPECT_EQ(Page(), "n1 nu1: u1; n5 nu5: u3; ");
  EXPECT_TRUE(rig_.Said("closed 7"));
}

// A leader that finds the entry with an empty place.
class LeaveTakenOver : public LeaveTest {
 protected:
  LeaveTakenOver() : LeaveTest({Found()}) {}
  static crds::JournalEntry Found() {
    crds::JournalEntry entry = ProtocolRig::PageEntry(7, 2);
    RemovePod(entry, "u0");
    return entry;
  }
};

TEST_F(LeaveTakenOver, FillsIt) {
  rig_.api.BindAs("p-00/7", "train-1", "n1");
  rig_.See("train-1");
  (void)rig_.api.AddPod("train-2", "u2");
  rig_.See("train-2");
  rig_.binder->Adopt({Found()});
  rig_.binder->Amend(ProtocolRig::Amend(7, "", "train-2", "u2"));
  EXPECT_TRUE(rig_.api.log().empty());
  rig_.binder->StartAdopted();
  rig_.Run();
  EXPECT_EQ(rig_.api.log(), (Log{kPutPage, "POST pods/train-2/binding"}));
  EXPECT_EQ(rig_.said, (Log{"amended 7 u2", "done u2 n5", "closed 7"}));
}

// Each stands for itself, so nobody waits for another node.
TEST_F(LeaveTest, BeyondTheMinimumOneLeavesThatHasLostItsNode) {
  rig_.api.LoseRequest(kBind0);
  auto admit = ProtocolRig::Admit(7, 2);
  admit.min_member = 0;
  rig_.binder->Admit(admit);
  rig_.Run();
  rig_.stores.EraseNode("n0");
  rig_.Advance(5'000);
  EXPECT_EQ(rig_.said, (Log{"done u1 n1", "left 7 u0", "closed 7"}));
  EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 409);
  EXPECT_EQ(rig_.api.Count("DELETE"), 0);
}

TEST(LeaveAdopted, BeyondTheMinimumWhatFitsNoMoreLeaves) {
  crds::JournalEntry found = ProtocolRig::PageEntry(7, 2);
  found.min_member = 0;
  ProtocolRig rig(2, {found});
  rig.AddPods(2);
  rig.api.BindAs("p-00/7", "train-1", "n1");
  for (const char* pod : {"train-0", "train-1"}) rig.See(pod);
  rig.binder->Adopt({found});
  rig.binder->Strand({.id = 7, .pod = "u0", .pod_key = {}});
  rig.binder->StartAdopted();
  rig.Run();
  EXPECT_EQ(rig.api.log(), (Log{kTouch0, kPutPage}));
  EXPECT_EQ(rig.said, (Log{"left 7 u0", "closed 7"}));
}

// Any leader may have sent what the page names.
TEST(LeaveAdopted, OneThatIsNoMemberIsTouchedFirst) {
  ProtocolRig rig(2, {ProtocolRig::PageEntry(7, 2)});
  rig.AddPods(2);
  rig.api.BindAs("p-00/7", "train-1", "n1");
  for (const char* pod : {"train-0", "train-1"}) rig.See(pod);
  PodRecord record = *rig.stores.pod({.ns = "default", .name = "train-0"});
  record.gang.name = "other";
  rig.stores.Put(record);
  rig.binder->Adopt({ProtocolRig::PageEntry(7, 2)});
  rig.binder->StartAdopted();
  rig.Run();
  EXPECT_EQ(rig.api.log(), (Log{kTouch0, kPutPage}));
  EXPECT_EQ(rig.said, Log{"left 7 u0"});
}

}  // namespace
}  // namespace muster::controllers
