// Bindings: what goes out and what each answer leads to.
#include "controllers/binder.h"

#include <gtest/gtest.h>

#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

using testing::kBind0;
using testing::ProtocolRig;
using testing::StatusBody;
using testing::TextField;

class BinderTest : public ::testing::Test {
 protected:
  void Admit(std::int32_t pods) {
    rig_.AddPods(pods);
    rig_.binder->Admit(ProtocolRig::Admit(7, pods));
  }
  [[nodiscard]] std::string NodeOf(const std::string& pod) { return rig_.api.pods().at(pod).node; }
  [[nodiscard]] bool Closed() { return rig_.Said("closed 7"); }

  ProtocolRig rig_;
};

TEST_F(BinderTest, SendsNoBindingBeforeThePageIsStored) {
  rig_.api.Hold("PUT");
  Admit(2);
  rig_.Run();
  EXPECT_EQ(rig_.api.Count("POST"), 0);
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_EQ(rig_.api.Count("POST"), 2);
}

TEST_F(BinderTest, BindsEveryMemberAndCloses) {
  Admit(3);
  rig_.Run();
  EXPECT_EQ(rig_.said,
            (std::vector<std::string>{"done u0 n0", "done u1 n1", "done u2 n2", "closed 7"}));
  EXPECT_EQ(NodeOf("train-2"), "n2");
  EXPECT_EQ(rig_.binder->open_entries(), 0U);
  EXPECT_EQ(rig_.page("p-00").entries.size(), 1U);
  rig_.Advance(5'000);
  EXPECT_TRUE(rig_.page("p-00").entries.empty());
}

TEST_F(BinderTest, CarriesThePreconditionsAndThePins) {
  Admit(1);
  const std::string version = std::to_string(rig_.api.pods().at("train-0").version);
  rig_.Run();
  const std::string body = rig_.api.Body(kBind0);
  EXPECT_EQ(TextField(body, "uid"), "u0");
  EXPECT_EQ(TextField(body, "resourceVersion"), version);
  EXPECT_EQ(TextField(body, "muster.dev/admitted-queue"), "research");
  EXPECT_EQ(TextField(body, "muster.dev/admitted-group-uid"), "g0");
  EXPECT_EQ(TextField(body, "muster.dev/journal"), "p-00/7");
}

TEST_F(BinderTest, PinsNoGroupOnASinglePod) {
  rig_.AddPods(1);
  auto admit = ProtocolRig::Admit(7, 1);
  admit.gang = {.ns = "default", .name = "train-0", .single_pod = true};
  admit.gang_uid = "u0";
  PodRecord record = *rig_.stores.pod({.ns = "default", .name = "train-0"});
  record.gang = admit.gang;
  rig_.stores.Put(record);
  rig_.binder->Admit(admit);
  rig_.Run();
  EXPECT_TRUE(Closed());
  EXPECT_EQ(rig_.api.Body(kBind0).find("admitted-group-uid"), std::string::npos);
}

// The Binding timed out but was stored: it is read back, and nothing else happens.
TEST_F(BinderTest, ReadsBackALostAnswer) {
  rig_.api.LoseAnswer(kBind0);
  Admit(1);
  rig_.Run();
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"done u0 n0", "closed 7"}));
  EXPECT_EQ(rig_.api.Count(kBind0), 1);
}

TEST_F(BinderTest, SendsTheSameBindingAgainWhenThePodHasNoNode) {
  struct Case {
    std::string name;
    std::int32_t status;  // 0 = no answer.
    std::string body;
  };
  const std::vector<Case> cases = {
      {"no answer", 0, ""},
      {"time-out", 504, R"({"metadata":{},"status":"Failure","code":504})"},
      {"overload", 429, StatusBody("TooManyRequests", "later")},
      {"error", 500, StatusBody("InternalError", "etcdserver: request timed out")},
      {"storage error as conflict", 409, StatusBody("Conflict", "etcdserver: leader changed")},
      {"terminating namespace", 403, testing::NamespaceTerminatingBody()},
  };
  for (const Case& c : cases) {
    ProtocolRig rig;
    if (c.status == 0) {
      rig.api.LoseRequest(kBind0);
    } else {
      rig.api.Refuse(kBind0, c.status, c.body);
    }
    rig.AddPods(1);
    rig.binder->Admit(ProtocolRig::Admit(7, 1));
    rig.Run();
    EXPECT_EQ(rig.api.Count(kBind0), 1) << c.name;
    EXPECT_TRUE(rig.said.empty()) << c.name;
    rig.Advance(1'000);
    EXPECT_EQ(rig.api.Count(kBind0), 2) << c.name;
    EXPECT_TRUE(rig.Said("closed 7")) << c.name;
  }
}

TEST_F(BinderTest, TakesAConflictWithTheSameNodeForBound) {
  rig_.api.LoseRequest(kBind0);
  Admit(1);
  rig_.Run();
  EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 201);
  rig_.Advance(1'000);  // The repeat meets 409 "already assigned", or its own precondition.
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"done u0 n0", "closed 7"}));
  EXPECT_EQ(NodeOf("train-0"), "n0");
}

TEST_F(BinderTest, ReadsAsOftenAsNoneAnswers) {
  rig_.api.LoseAnswer(kBind0);
  rig_.api.LoseRequest("GET pods/train-0");
  rig_.api.Refuse("GET pods/train-0", 503, "");
  Admit(1);
  rig_.Advance(5'000);
  EXPECT_EQ(rig_.api.Count("GET pods/train-0"), 3);
  EXPECT_TRUE(Closed());
}

TEST_F(BinderTest, WritesAChangedVersionIntoThePageBeforeItSendsAgain) {
  Admit(1);
  rig_.api.Change("train-0");
  const std::string version = std::to_string(rig_.api.pods().at("train-0").version);
  rig_.api.Hold("PUT");
  rig_.Run();
  rig_.api.Release("PUT");
  rig_.api.Hold("PUT");  // The second PUT: the new version.
  rig_.Run();
  EXPECT_EQ(rig_.api.Count(kBind0), 1);
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_EQ(rig_.page("p-00").entries[0].nodes[0].pods[0].resource_version, version);
  EXPECT_EQ(TextField(rig_.api.Body(kBind0), "resourceVersion"), version);
  EXPECT_TRUE(Closed());
}

TEST_F(BinderTest, FollowsAPodThatChangesAllTheTime) {
  Admit(1);
  for (int i = 0; i < 6; ++i) {
    rig_.api.Change("train-0");
    rig_.api.Hold(kBind0);
    rig_.Advance(5'000);
    rig_.api.Change("train-0");
    rig_.api.Release(kBind0);
  }
  rig_.Advance(10'000);
  EXPECT_TRUE(Closed());
}

// Also if it has taken the very node that the entry names: R2 asks who has bound it.
TEST_F(BinderTest, TellsOfAForeignBinder) {
  for (const std::string node : {"n9", "n0"}) {
    for (const bool watched : {false, true}) {
      ProtocolRig rig;
      rig.AddPods(2);
      rig.binder->Admit(ProtocolRig::Admit(7, 2));
      rig.api.Bind("train-0", node);
      if (watched) rig.binder->Observe(rig.Seen("train-0"));
      rig.Run();
      EXPECT_EQ(rig.Said("elsewhere u0 n0 at " + node), !watched);
      EXPECT_TRUE(rig.Said("done u1 n1"));
      EXPECT_FALSE(rig.Said("done u0 n0"));
      EXPECT_EQ(rig.binder->open_entries(), 1U) << "One of two: below its minimum.";
    }
  }
}

TEST_F(BinderTest, CountsAForeignBindingThatCarriesOurGroup) {
  Admit(2);
  rig_.api.pods().at("train-0").journal = "p-00/1";
  rig_.api.pods().at("train-0").group_uid = "g0";
  rig_.api.Bind("train-0", "n9");
  rig_.Run();
  EXPECT_TRUE(rig_.Said("elsewhere u0 n0 at n9"));
  EXPECT_TRUE(Closed());
}

TEST_F(BinderTest, TellsOfALostMember) {
  struct Case {
    std::string name;
    std::function<void(testing::FakeApi&)> act;
  };
  const std::vector<Case> cases = {
      {"deleted", [](auto& api) { api.pods().erase("train-0"); }},
      {"made again", [](auto& api) { (void)api.AddPod("train-0", "u0-again"); }},
      {"on its way out", [](auto& api) { api.pods().at("train-0").deleting = true; }},
  };
  for (const Case& c : cases) {
    ProtocolRig rig;
    rig.AddPods(2);
    rig.binder->Admit(ProtocolRig::Admit(7, 2));
    c.act(rig.api);
    rig.Advance(1'000);
    EXPECT_EQ(rig.said, (std::vector<std::string>{"done u1 n1", "gone u0"})) << c.name;
  }
}

TEST_F(BinderTest, ClosesWhenNoMemberIsLeft) {
  Admit(2);
  rig_.api.pods().clear();
  rig_.Run();
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"gone u0", "gone u1", "closed 7"}));
}

TEST_F(BinderTest, ClosesAnEntryWithoutMinimumOnceEachIsBoundOrGone) {
  rig_.AddPods(2);
  auto admit = ProtocolRig::Admit(7, 2);
  admit.min_member = 0;
  rig_.binder->Admit(admit);
  rig_.api.pods().erase("train-0");
  rig_.Run();
  EXPECT_TRUE(Closed());
}

TEST_F(BinderTest, CountsMembersThatRanBefore) {
  rig_.AddPods(2);
  auto admit = ProtocolRig::Admit(7, 2);
  admit.min_member = 4;
  rig_.binder->Admit(admit);
  rig_.Run();
  EXPECT_FALSE(Closed());
  rig_.whole = true;
  rig_.binder->Settle();
  EXPECT_TRUE(Closed());
}

TEST_F(BinderTest, TakesABindingThatTheWatchShows) {
  rig_.api.Hold(kBind0);
  Admit(2);
  rig_.Run();
  rig_.api.BindAs("p-00/7", "train-0", "n0");
  rig_.binder->Observe(rig_.Seen("train-0"));
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"done u1 n1", "closed 7"}));
  rig_.api.Release(kBind0);  // 409: too late to matter.
  rig_.Advance(1'000);
  EXPECT_EQ(rig_.said.size(), 2U);
}

TEST_F(BinderTest, DoesNotCountABoundMemberThatLeavesBeforeTheRest) {
  rig_.api.Hold("POST pods/train-1/binding");
  Admit(2);
  rig_.Run();
  rig_.api.pods().at("train-0").deleting = true;
  rig_.binder->Observe(rig_.Seen("train-0"));
  rig_.api.Release("POST pods/train-1/binding");
  rig_.Run();
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"done u0 n0", "done u1 n1"}));
  rig_.binder->Observe(scheduler::PodGone{"u0"});
  rig_.binder->Settle();
  EXPECT_FALSE(Closed());
}

TEST_F(BinderTest, SendsNothingForAPodThatLeftBeforeThePageWasStored) {
  rig_.api.Hold("PUT");
  Admit(2);
  rig_.Run();
  rig_.binder->Observe(scheduler::PodGone{"u0"});
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_EQ(rig_.api.Count(kBind0), 0);
  EXPECT_EQ(rig_.api.Count("POST pods/train-1/binding"), 1);
}

// Between the decision and the turn of the request.
TEST_F(BinderTest, SendsNothingForAPlanThatTheWorldHasLeftBehind) {
  struct Case {
    std::string said;
    std::function<void(ProtocolRig&)> act;
  };
  const auto node = [](ProtocolRig& rig, NodeRecord record) {
    rig.stores.Put("n0", std::move(record));
  };
  const std::vector<Case> cases = {
      {"stale 7 u0 train-0: node n0 was deleted before it was bound there",
       [](auto& rig) { rig.stores.EraseNode("n0"); }},
      {"stale 7 u0 train-0: node n0 was cordoned before it was bound there",
       [&](auto& rig) { node(rig, {.uid = "nu0", .unschedulable = true}); }},
      {"stale 7 u0 train-0: node n0 was deleted and made again before it was bound there",
       [&](auto& rig) { node(rig, {.uid = "nu0-again"}); }},
      {"stale 7 u0 train-0: its labels were changed, it is no member any more",
       [](auto& rig) {
         PodRecord record = *rig.stores.pod({.ns = "default", .name = "train-0"});
         record.gang.name = "other";
         rig.stores.Put(record);
       }},
      {"gone u0",
       [](auto& rig) {
         rig.api.pods().erase("train-0");
         rig.See("train-0");
       }},
      {"gone u0",
       [](auto& rig) {
         (void)rig.api.AddPod("train-0", "u0-again");
         rig.See("train-0");
       }},
      {"gone u0",
       [](auto& rig) {
         rig.api.pods().at("train-0").deleting = true;
         rig.See("train-0");
       }},
  };
  for (const Case& c : cases) {
    ProtocolRig rig;
    rig.api.Hold("PUT");
    rig.AddPods(2);
    rig.binder->Admit(ProtocolRig::Admit(7, 2));
    rig.Run();
    c.act(rig);
    rig.api.Release("PUT");
    rig.Advance(30'000);
    EXPECT_EQ(rig.api.Count(kBind0), 0) << c.said;
    EXPECT_TRUE(rig.Said(c.said)) << c.said;
  }
}

// Members beyond the minimum stand each for itself.
TEST_F(BinderTest, FreesAStaleMemberOfAnEntryWithoutMinimumAlone) {
  rig_.api.Hold("PUT");
  rig_.AddPods(2);
  auto admit = ProtocolRig::Admit(7, 2);
  admit.min_member = 0;
  rig_.binder->Admit(admit);
  rig_.Run();
  rig_.stores.EraseNode("n0");
  rig_.api.Release("PUT");
  rig_.api.Hold("PUT");
  rig_.Run();
  EXPECT_EQ(rig_.said, std::vector<std::string>{"done u1 n1"})
      << "a page that names n0 keeps it: a later leader would bind there";
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_EQ(rig_.api.Count(kBind0), 0);
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"done u1 n1", "closed 7"}));
  EXPECT_TRUE(rig_.page("p-00").entries.empty());
}

TEST_F(BinderTest, SendsNothingMoreOnceThePodGroupIsAnother) {
  rig_.api.Hold("PUT");
  Admit(2);
  rig_.Run();
  rig_.SeeGroup("g0-again");
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_EQ(rig_.api.Count("POST"), 0);
  EXPECT_EQ(rig_.said,
            std::vector<std::string>{
                "stale 7 u0 train-0: the PodGroup was deleted while its gang was bound"});
}

// Nothing is sent for a plan that is given up, and what was never sent needs no touch.
TEST_F(BinderTest, DropsBindingsThatWaitForTheirTurnWhenTheEntryIsGivenUp) {
  for (int i = 0; i < 32; ++i) rig_.api.Hold("POST pods/train-" + std::to_string(i) + "/binding");
  Admit(40);
  rig_.Run();
  ASSERT_EQ(rig_.api.Count("POST"), 32);
  rig_.binder->Abandon(ProtocolRig::Abandon(7));
  for (int i = 0; i < 32; ++i) {
    rig_.api.Release("POST pods/train-" + std::to_string(i) + "/binding");
  }
  rig_.Advance(10'000);
  EXPECT_EQ(rig_.api.Count("POST"), 32);
  EXPECT_EQ(rig_.api.Count("PATCH pods/train-39/status"), 0);
  EXPECT_TRUE(rig_.Said("refused u39 n39"));
  EXPECT_TRUE(Closed());
}

// It tolerates that, or it would not have been placed there.
TEST_F(BinderTest, BindsToANodeThatWasCordonedWhenThatWasDecided) {
  rig_.AddPods(1);
  rig_.stores.Put("n0", {.uid = "nu0", .unschedulable = true});
  rig_.binder->Admit(ProtocolRig::Admit(7, 1));
  rig_.Run();
  EXPECT_EQ(NodeOf("train-0"), "n0");
}

TEST_F(BinderTest, WritesAVersionThatTheWatchHasShownBeforeItSends) {
  rig_.api.Hold("PUT");
  Admit(1);
  rig_.Run();
  rig_.api.Change("train-0");
  rig_.See("train-0");
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_EQ(rig_.api.log(), (std::vector<std::string>{"PUT bindingjournals/p-00",
                                                      "PUT bindingjournals/p-00", kBind0}));
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"done u0 n0", "closed 7"}));
}

// What a read has shown is newer than a watch that lags behind.
TEST_F(BinderTest, DoesNotGoBackToTheVersionOfALateWatch) {
  Admit(1);
  rig_.api.Change("train-0");
  rig_.Run();
  EXPECT_EQ(rig_.api.log(),
            (std::vector<std::string>{"PUT bindingjournals/p-00", kBind0, "GET pods/train-0",
                                      "PUT bindingjournals/p-00", kBind0}));
  EXPECT_TRUE(Closed());
}

TEST_F(BinderTest, KnowsAPodThatEndedBeforeItWasBound) {
  rig_.api.Hold("PUT");
  Admit(2);
  rig_.Run();
  PodRecord record = *rig_.stores.pod({.ns = "default", .name = "train-0"});
  record.terminal = true;
  rig_.stores.Put(record);
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_EQ(rig_.api.Count(kBind0), 0);
  scheduler::PodSeen ended = rig_.Seen("train-0");
  ended.state = scheduler::PodState::kFailed;
  rig_.binder->Observe(ended);
  rig_.whole = true;
  rig_.binder->Settle();
  EXPECT_TRUE(Closed());
}

TEST_F(BinderTest, SaysThatAnEntryFailedAfterThreeRefusals) {
  struct Case {
    std::int32_t status;
    std::string body, text;
  };
  const std::vector<Case> cases = {
      {400, StatusBody("BadRequest", "name mismatch"), "400 name mismatch"},
      {403, StatusBody("Forbidden", "not yours"), "403 not yours"},
      {403, StatusBody("", "admission webhook x denied"), "403 admission webhook x denied"},
      {422, StatusBody("Invalid", "bad"), "422 bad"},
      {500, StatusBody("", "target.name: Required value"), "500 target.name: Required value"},
  };
  for (const Case& c : cases) {
    ProtocolRig rig;
    for (int i = 0; i < 4; ++i) rig.api.Refuse(kBind0, c.status, c.body);
    rig.AddPods(2);
    rig.binder->Admit(ProtocolRig::Admit(7, 2));
    rig.Advance(60'000);
    EXPECT_EQ(rig.api.Count(kBind0), 3) << c.text;
    EXPECT_EQ(rig.said, (std::vector<std::string>{"done u1 n1", "failed 7 u0 train-0: " + c.text}));
  }
}

TEST_F(BinderTest, DoesNotFailByTroubleThatSaysTheSameEachTime) {
  for (const std::string& body : {StatusBody("InternalError", "failed calling webhook"),
                                  std::string("no upstream"), std::string()}) {
    ProtocolRig rig;
    for (int i = 0; i < 5; ++i) rig.api.Refuse(kBind0, 500, body);
    rig.AddPods(1);
    rig.binder->Admit(ProtocolRig::Admit(7, 1));
    rig.Advance(120'000);
    EXPECT_EQ(rig.said, (std::vector<std::string>{"done u0 n0", "closed 7"})) << body;
  }
}

TEST_F(BinderTest, DoesNotFailByPassingTrouble) {
  for (int i = 0; i < 3; ++i) {
    rig_.api.Refuse(kBind0, 500, StatusBody("", "trouble " + std::to_string(i)));
    rig_.api.Refuse(kBind0, 429, StatusBody("", "later"));
    rig_.api.Refuse(kBind0, 403, testing::NamespaceTerminatingBody());
  }
  Admit(1);
  rig_.Advance(120'000);
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"done u0 n0", "closed 7"}));
}

}  // namespace
}  // namespace muster::controllers
