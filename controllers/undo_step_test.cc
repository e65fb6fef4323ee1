// Giving an entry up: touches, deletions, and when the node is free.
#include "controllers/undo_step.h"

#include <gtest/gtest.h>

#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

using testing::kBind0;
using testing::kDelete1;
using testing::kGet0;
using testing::kTouch0;
using testing::ProtocolRig;
using testing::StatusBody;
using testing::TextField;

// A gang of two of which member 1 is bound, while the Binding of member 0 was sent and never
// answered; it may act at any later time.
class UndoTest : public ::testing::Test {
 protected:
  UndoTest() {
    rig_.AddPods(2);
    rig_.api.LoseRequest(kBind0);
    rig_.api.Hold(kGet0);
    rig_.binder->Admit(ProtocolRig::Admit(7, 2));
    rig_.Run();
    rig_.said.clear();
    rig_.api.ClearLog();
  }
  void Abandon() { rig_.binder->Abandon(ProtocolRig::Abandon(7)); }
  // The node of member 0 is free: from here on nothing may bind it by the old Binding.
  void ExpectFreed() {
    EXPECT_TRUE(rig_.Said("refused u0 n0"));
    if (rig_.api.pods().contains("train-0")) {
      EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 409);
    }
  }
  [[nodiscard]] bool Closed() { return rig_.Said("closed 7"); }

  ProtocolRig rig_;
};

TEST_F(UndoTest, SendsNothingBeforeTheAbandonIsStored) {
  rig_.api.Hold("PUT");
  Abandon();
  rig_.Advance(1'000);
  EXPECT_EQ(rig_.api.log(), std::vector<std::string>{"PUT bindingjournals/p-00"});
  EXPECT_FALSE(rig_.page("p-00").entries[0].abandon);
  rig_.api.Release("PUT");
  rig_.api.Hold("PUT");
  rig_.Run();
  EXPECT_TRUE(rig_.page("p-00").entries[0].abandon);
  EXPECT_EQ(rig_.page("p-00").entries[0].why, "BindTimeout");
  EXPECT_EQ(rig_.api.Count(kTouch0), 1);
  EXPECT_EQ(rig_.api.Count(kDelete1), 1);
}

TEST_F(UndoTest, TouchesTheUnboundAndDeletesTheBound) {
  Abandon();
  rig_.Run();
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"refused u0 n0", "closed 7"}));
  EXPECT_TRUE(rig_.api.pods().at("train-1").deleting);
  EXPECT_TRUE(rig_.page("p-00").entries.empty());
  ExpectFreed();
}

TEST_F(UndoTest, ClosesOnlyWhenTheEntryHasLeftItsPage) {
  rig_.api.Hold("PUT");
  Abandon();
  rig_.Run();
  rig_.api.Release("PUT");
  rig_.api.Hold("PUT");
  rig_.Advance(1'000);
  EXPECT_FALSE(Closed());
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_TRUE(Closed());
}

TEST_F(UndoTest, MarksABoundMemberBeforeItsDeletion) {
  Abandon();
  rig_.Run();
  const auto& log = rig_.api.log();
  const auto mark = std::ranges::find(log, "PATCH pods/train-1/status");
  const auto deletion = std::ranges::find(log, kDelete1);
  EXPECT_LT(mark, deletion);
  const std::string body = rig_.api.Body("PATCH pods/train-1/status");
  EXPECT_EQ(TextField(body, "type"), "DisruptionTarget");
  EXPECT_EQ(TextField(body, "reason"), "BindTimeout");
  EXPECT_EQ(TextField(rig_.api.Body(kDelete1), "uid"), "u1");
}

TEST_F(UndoTest, TouchesWithVersionPageAndSequence) {
  const std::string version = std::to_string(rig_.api.pods().at("train-0").version);
  Abandon();
  rig_.Run();
  const std::string body = rig_.api.Body(kTouch0);
  EXPECT_EQ(TextField(body, "resourceVersion"), version);
  EXPECT_EQ(TextField(body, "reason"), "BindFailed");
  EXPECT_NE(TextField(body, "message").find("journal p-00/7, sequence 6"), std::string::npos);
}

TEST_F(UndoTest, DeletesAMemberThatWasBoundBeforeTheTouch) {
  EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 201);
  Abandon();
  rig_.Run();
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"done u0 n0", "closed 7"}));
  EXPECT_TRUE(rig_.api.pods().at("train-0").deleting);
}

TEST_F(UndoTest, FreesAfterAConflictOfAnUnboundPodThatMoved) {
  rig_.api.Change("train-0");
  Abandon();
  rig_.Run();
  EXPECT_EQ(rig_.api.Count(kTouch0), 1);
  ExpectFreed();
  EXPECT_TRUE(Closed());
}

TEST_F(UndoTest, TouchesAgainWhenAReadShowsTheOldVersion) {
  // A storage error as conflict: the pod has no node, but its Binding can still act.
  rig_.api.Refuse(kTouch0, 409, StatusBody("Conflict", "etcdserver: leader changed"));
  Abandon();
  rig_.Run();
  EXPECT_TRUE(rig_.api.Count(kGet0) == 1);
  EXPECT_FALSE(rig_.Said("refused u0 n0"));
  rig_.Advance(1'000);
  EXPECT_EQ(rig_.api.Count(kTouch0), 2);
  ExpectFreed();
}

TEST_F(UndoTest, TouchesAgainWithAnotherMessageWhenNothingMoved) {
  const testing::FakeApi::Pod same = rig_.api.pods().at("train-0");
  rig_.api.Refuse(kTouch0, 200, testing::PodBody("train-0", same));
  Abandon();
  rig_.Run();
  const std::string first = TextField(rig_.api.Body(kTouch0), "message");
  EXPECT_FALSE(rig_.Said("refused u0 n0"));
  rig_.Advance(1'000);
  EXPECT_NE(TextField(rig_.api.Body(kTouch0), "message"), first);
  ExpectFreed();
}

TEST_F(UndoTest, ReadsBackATouchWithoutAnswer) {
  rig_.api.LoseAnswer(kTouch0);
  Abandon();
  rig_.Advance(1'000);
  EXPECT_EQ(rig_.api.Count(kTouch0), 1);
  ExpectFreed();
}

TEST_F(UndoTest, SendsALostTouchAgain) {
  rig_.api.LoseRequest(kTouch0);
  Abandon();
  rig_.Advance(5'000);
  EXPECT_EQ(rig_.api.Count(kTouch0), 2);
  ExpectFreed();
}

TEST_F(UndoTest, FreesNothingWhileTheBindingMayStillWin) {
  rig_.api.LoseRequest(kTouch0);
  Abandon();
  rig_.Advance(50);  // Its answer is lost, and nothing was read yet.
  EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 201);
  rig_.Advance(5'000);
  EXPECT_FALSE(rig_.Said("refused u0 n0"));
  EXPECT_TRUE(rig_.Said("done u0 n0"));
  EXPECT_TRUE(rig_.api.pods().at("train-0").deleting);
  EXPECT_TRUE(Closed());
}

TEST_F(UndoTest, KnowsAPodThatIsGoneOrForeign) {
  struct Case {
    std::string name, said;
    std::function<void(testing::FakeApi&)> act;
  };
  const std::vector<Case> cases = {
      {"deleted", "gone u0", [](auto& api) { api.pods().erase("train-0"); }},
      {"made again", "gone u0", [](auto& api) { (void)api.AddPod("train-0", "u9"); }},
      {"on its way out", "gone u0",
       [](auto& api) {
         api.pods().at("train-0").deleting = true;
         api.Change("train-0");
       }},
      {"bound elsewhere", "elsewhere u0 n0 at n9", [](auto& api) { api.Bind("train-0", "n9"); }},
      {"bound to our node by others", "elsewhere u0 n0 at n0",
       [](auto& api) { api.Bind("train-0", "n0"); }},
  };
  for (const Case& c : cases) {
    ProtocolRig rig;
    rig.AddPods(2);
    rig.api.LoseRequest(kBind0);
    rig.api.Hold(kGet0);
    rig.binder->Admit(ProtocolRig::Admit(7, 2));
    rig.Run();
    c.act(rig.api);
    rig.binder->Abandon(ProtocolRig::Abandon(7));
    rig.Advance(5'000);
    EXPECT_TRUE(rig.Said(c.said)) << c.name;
    EXPECT_FALSE(rig.Said("refused u0 n0")) << c.name;
    EXPECT_TRUE(rig.Said("closed 7")) << c.name;
    EXPECT_EQ(rig.api.Count("DELETE pods/train-0"), 0) << c.name;
  }
}

TEST_F(UndoTest, DropsTheAnswerOfABindingThatWasUnderWay) {
  ProtocolRig rig;
  rig.AddPods(2);
  rig.api.Hold(kBind0);
  rig.binder->Admit(ProtocolRig::Admit(7, 2));
  rig.Run();
  rig.binder->Abandon(ProtocolRig::Abandon(7));
  rig.Run();
  EXPECT_TRUE(rig.Said("refused u0 n0"));
  rig.api.Release(kBind0);  // 409 by its resourceVersion.
  rig.Advance(5'000);
  EXPECT_TRUE(rig.api.pods().at("train-0").node.empty());
  EXPECT_FALSE(rig.Said("done u0 n0"));
}

// A later leader has fenced every page before it bound anything.
TEST_F(UndoTest, IsDeposedByAPodOfALaterLeader) {
  EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 201);
  rig_.api.pods().at("train-0").journal = "p-00/8";
  rig_.api.Hold(kGet0);
  Abandon();
  rig_.Run();
  rig_.api.pages().at("p-00").meta.resource_version = rig_.api.Version();
  for (int get = 0; get < 2; ++get) rig_.api.Release(kGet0);  // Of the Binding, and of this.
  rig_.Run();
  ASSERT_EQ(rig_.deposed.size(), 1U);
  EXPECT_EQ(rig_.api.Count("DELETE pods/train-0"), 0);
}

// Whoever may write annotations of a pod must not be able to end the leader by them.
TEST_F(UndoTest, TakesNoPodsWordForIt) {
  EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 201);
  rig_.api.pods().at("train-0").journal = "p-00/9007199254740991";
  Abandon();
  rig_.Advance(10'000);
  EXPECT_TRUE(rig_.deposed.empty());
  EXPECT_EQ(rig_.api.Count("DELETE pods/train-0"), 1);
  EXPECT_TRUE(Closed());
}

TEST_F(UndoTest, LeavesAMemberThatHasEnded) {
  EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 201);
  rig_.api.pods().at("train-0").phase = "Succeeded";
  Abandon();
  rig_.Advance(10'000);
  EXPECT_EQ(rig_.api.Count("DELETE pods/train-0"), 0);
  EXPECT_EQ(rig_.api.Count(kDelete1), 1);
  EXPECT_TRUE(Closed());
}

// A DELETE under way may act on it at any time, and none may act that no page names.
TEST_F(UndoTest, AMemberThatEndsWhileItIsDeletedIsWaitedFor) {
  rig_.api.LoseRequest(kDelete1);
  Abandon();
  rig_.Run();
  rig_.api.pods().at("train-1").phase = "Succeeded";
  rig_.Advance(10'000);
  EXPECT_EQ(rig_.api.Count(kDelete1), 2);
  EXPECT_TRUE(Closed());
}

TEST_F(UndoTest, SendsADeletionAgainUntilItIsAnswered) {
  rig_.api.LoseRequest(kDelete1);
  rig_.api.Refuse(kDelete1, 500, "");
  Abandon();
  rig_.Advance(10'000);
  EXPECT_EQ(rig_.api.Count(kDelete1), 3);
  EXPECT_TRUE(Closed());
}

TEST_F(UndoTest, ReadsBackADeletionWithoutAnswer) {
  rig_.api.LoseAnswer(kDelete1);
  Abandon();
  rig_.Advance(10'000);
  EXPECT_EQ(rig_.api.Count(kDelete1), 1);
  EXPECT_TRUE(Closed());
}

TEST_F(UndoTest, IsDoneWithAMemberThatTheWatchShowsGone) {
  rig_.api.Hold(kTouch0);
  Abandon();
  rig_.Run();
  EXPECT_FALSE(Closed());
  rig_.binder->Observe(scheduler::PodGone{"u0"});
  rig_.Run();
  EXPECT_TRUE(Closed());
}

TEST_F(UndoTest, IsAskedForOnceOnly) {
  Abandon();
  Abandon();
  rig_.Run();
  Abandon();
  EXPECT_EQ(rig_.api.Count("PUT"), 2);  // The Abandon, and its leaving.
}

TEST(Undo, TouchesNoPodForWhichNothingWasSent) {
  ProtocolRig rig;
  rig.AddPods(2);
  rig.api.Hold("PUT");
  rig.binder->Admit(ProtocolRig::Admit(7, 2));
  rig.Run();
  rig.binder->Abandon(ProtocolRig::Abandon(7));  // Its first PUT is under way.
  rig.api.Release("PUT");
  rig.Run();
  EXPECT_EQ(rig.api.Count("POST") + rig.api.Count("PATCH"), 0);
  EXPECT_EQ(rig.said, (std::vector<std::string>{"refused u0 n0", "refused u1 n1", "closed 7"}));
}

TEST(Undo, WithdrawsAnEntryThatIsOnNoPage) {
  ProtocolRig rig;
  rig.AddPods(2);
  rig.binder->Admit(ProtocolRig::Admit(7, 2));
  rig.binder->Abandon(ProtocolRig::Abandon(7));
  EXPECT_EQ(rig.said, (std::vector<std::string>{"refused u0 n0", "refused u1 n1", "closed 7"}));
  rig.Run();
  EXPECT_EQ(rig.api.log().size(), 0U);
}

// The rest of a gang that no entry named: it gets one, and is given up with it, in one decision.
TEST(Undo, StoresAnEntryOfBoundMembersBeforeItDeletesThem) {
  ProtocolRig rig;
  rig.AddPods(2);
  rig.api.BindAs("p-00/3", "train-0", "n0");
  rig.See("train-0");
  rig.api.Hold("PUT");
  rig.binder->Admit(ProtocolRig::Admit(7, 2));
  rig.binder->Abandon(ProtocolRig::Abandon(7));
  rig.Run();
  EXPECT_EQ(rig.api.log(), std::vector<std::string>{"PUT bindingjournals/p-00"});
  rig.api.Release("PUT");
  rig.Run();
  EXPECT_EQ(rig.api.Count("POST"), 0);
  EXPECT_TRUE(rig.api.pods().at("train-0").deleting);
  EXPECT_TRUE(rig.Said("refused u1 n1"));
  EXPECT_TRUE(rig.Said("closed 7"));
  EXPECT_TRUE(rig.page("p-00").entries.empty());
}

TEST(Undo, GivesUpAFailedEntry) {
  ProtocolRig rig;
  for (int i = 0; i < 3; ++i) rig.api.Refuse(kBind0, 403, StatusBody("Forbidden", "no"));
  rig.AddPods(2);
  rig.binder->Admit(ProtocolRig::Admit(7, 2));
  rig.Advance(5'000);
  auto abandon = ProtocolRig::Abandon(7);
  abandon.why = scheduler::Decision::Why::kRefused;
  abandon.text = "train-0: 403 no";
  rig.binder->Abandon(abandon);
  rig.Run();
  EXPECT_EQ(TextField(rig.api.Body("PATCH pods/train-1/status"), "reason"), "BindFailed");
  EXPECT_TRUE(rig.Said("closed 7"));
  EXPECT_TRUE(rig.api.pods().at("train-1").deleting);
}

}  // namespace
}  // namespace muster::controllers
