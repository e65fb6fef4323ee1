// Open entries that change: members that are replaced, and members that move to another node.
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

constexpr const char* kPage = "PUT bindingjournals/p-00";

// A gang of two, of which member 1 is bound; n5 has room.
class AmendTest : public ::testing::Test {
 protected:
  AmendTest() {
    rig_.AddPods(2);
    rig_.stores.Put("n5", NodeRecord{.uid = "nu5"});
  }
  // The Binding of member 0 was sent and never answered; it may act at any later time. Then its
  // node goes.
  void Strand() {
    rig_.api.LoseRequest(kBind0);
    rig_.binder->Admit(ProtocolRig::Admit(7, 2));
    rig_.Run();
    rig_.stores.EraseNode("n0");
    rig_.Advance(1'000);
    ASSERT_EQ(rig_.said, (Log{"done u1 n1", "stranded 7 u0"}));
    Forget();
  }
  // Member 0 is gone, and train-2 was made in its place.
  void Lose() {
    rig_.api.Hold(kBind0);
    rig_.binder->Admit(ProtocolRig::Admit(7, 2));
    rig_.Run();
    rig_.api.pods().erase("train-0");
    rig_.See("train-0");
    rig_.binder->Observe(scheduler::PodGone{"u0"});
    (void)rig_.api.AddPod("train-2", "u2");
    rig_.See("train-2");
    Forget();
  }
  void Move() { rig_.binder->Amend(ProtocolRig::Amend(7, "u0", "train-0", "u0")); }
  void Replace() { rig_.binder->Amend(ProtocolRig::Amend(7, "u0", "train-2", "u2")); }
  void Forget() {
    rig_.said.clear();
    rig_.api.ClearLog();
  }
  // "n1: u1; n5: u0 at 110; " of the only entry.
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

TEST_F(AmendTest, AMemberThatWasSentIsTouchedThenNamedThenBound) {
  Strand();
  Move();
  rig_.Run();
  EXPECT_EQ(rig_.api.log(), (Log{kTouch0, kPage, kBind0}));
  EXPECT_EQ(rig_.said, (Log{"amended 7 u0", "done u0 n5", "closed 7"}));
  EXPECT_EQ(rig_.api.pods().at("train-0").node, "n5");
  EXPECT_EQ(Page(), "n1 nu1: u1; n5 nu5: u0; ");
  EXPECT_EQ(rig_.page("p-00").entries[0].nodes[1].pods[0].resource_version,
            TextField(rig_.api.Body(kBind0), "resourceVersion"));
  EXPECT_EQ(rig_.telemetry.count("members_replaced"), 1);
  EXPECT_EQ(rig_.api.Count("DELETE"), 0);
}

TEST_F(AmendTest, ItsOldBindingComesTooLateOnceItIsTouched) {
  Strand();
  rig_.api.Hold("PUT");
  Move();
  rig_.Run();
  EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 409);
  EXPECT_EQ(rig_.api.log(), (Log{kTouch0, kPage})) << "Nothing before the page names n5.";
  EXPECT_TRUE(rig_.said.empty()) << "Until then n0 is held.";
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_EQ(rig_.api.pods().at("train-0").node, "n5");
}

TEST_F(AmendTest, WaitsForTheCoreWithoutARequest) {
  Strand();
  rig_.Advance(60'000);
  EXPECT_TRUE(rig_.api.log().empty());
  EXPECT_EQ(rig_.binder->open_entries(), 1U);
}

// So is one whose touch shows that somebody has changed it meanwhile.
TEST_F(AmendTest, AChangedPodIsReadAndNeedsNoTouch) {
  Strand();
  rig_.api.Change("train-0");
  Move();
  rig_.Run();
  EXPECT_EQ(rig_.api.log(), (Log{kTouch0, kGet0, kPage, kBind0}));
  EXPECT_EQ(rig_.api.pods().at("train-0").node, "n5");
}

TEST_F(AmendTest, AMemberThatWasBoundBeforeTheTouchStaysWhereItIs) {
  Strand();
  EXPECT_EQ(rig_.api.TakeEffect(kBind0).status, 201);
  Move();
  rig_.Run();
  EXPECT_EQ(rig_.said, (Log{"done u0 n0", "closed 7"}));
  EXPECT_EQ(rig_.api.Count("POST") + rig_.api.Count("PUT") + rig_.api.Count("DELETE"), 0);
}

TEST_F(AmendTest, AMemberThatIsGoneMovesNowhere) {
  for (const std::string foreign : {"", "n9", "n0"}) {
    ProtocolRig rig;
    rig.AddPods(2);
    rig.api.LoseRequest(kBind0);
    rig.binder->Admit(ProtocolRig::Admit(7, 2));
    rig.Run();
    rig.stores.EraseNode("n0");
    rig.Advance(1'000);
    if (foreign.empty()) {
      rig.api.pods().erase("train-0");
    } else {
      rig.api.Bind("train-0", foreign);
    }
    rig.binder->Amend(ProtocolRig::Amend(7, "u0", "train-0", "u0"));
    rig.Run();
    EXPECT_TRUE(rig.Said(foreign.empty() ? "gone u0" : "elsewhere u0 n0 at " + foreign));
    EXPECT_EQ(rig.api.Count(kPage), 1) << "The first.";
  }
}

TEST_F(AmendTest, AMemberThatWasNeverSentIsNotTouched) {
  ProtocolRig rig;
  for (int i = 0; i < 32; ++i) rig.api.Hold("POST pods/train-" + std::to_string(i) + "/binding");
  rig.AddPods(33);
  rig.stores.Put("n50", NodeRecord{.uid = "nu50"});
  rig.binder->Admit(ProtocolRig::Admit(7, 33));
  rig.Run();
  rig.stores.EraseNode("n32");
  for (int i = 0; i < 32; ++i) {
    rig.api.Release("POST pods/train-" + std::to_string(i) + "/binding");
  }
  rig.Run();
  ASSERT_TRUE(rig.Said("stranded 7 u32"));
  auto amend = ProtocolRig::Amend(7, "u32", "train-32", "u32");
  amend.changes[0].bind.node = "n50";
  amend.changes[0].bind.node_uid = "nu50";
  rig.binder->Amend(amend);
  rig.Run();
  EXPECT_EQ(rig.api.Count("PATCH"), 0);
  EXPECT_EQ(rig.api.pods().at("train-32").node, "n50");
  EXPECT_TRUE(rig.Said("closed 7"));
}

TEST_F(AmendTest, ASecondNodeMayBeLostToo) {
  Strand();
  rig_.api.Hold("PUT");
  Move();
  rig_.Run();
  rig_.stores.EraseNode("n5");
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_EQ(rig_.said, (Log{"amended 7 u0", "stranded 7 u0"}));
  rig_.stores.Put("n5", NodeRecord{.uid = "nu5-again"});
  rig_.api.ClearLog();
  auto amend = ProtocolRig::Amend(7, "u0", "train-0", "u0");
  amend.changes[0].bind.node_uid = "nu5-again";
  rig_.binder->Amend(amend);
  rig_.Run();
  EXPECT_EQ(rig_.api.log(), (Log{kPage, kBind0})) << "Of its new version nothing was sent.";
  EXPECT_TRUE(rig_.Said("closed 7"));
}

// At each step; nothing reaches n5, and what is bound is deleted.
TEST_F(AmendTest, IsGivenUpWhileItMoves) {
  for (const char* held : {"", kTouch0, "PUT", kBind0}) {
    ProtocolRig rig;
    rig.AddPods(2);
    rig.stores.Put("n5", NodeRecord{.uid = "nu5"});
    rig.api.LoseRequest(kBind0);
    rig.binder->Admit(ProtocolRig::Admit(7, 2));
    rig.Run();
    rig.stores.EraseNode("n0");
    rig.Advance(1'000);
    if (*held != '\0') {
      rig.api.Hold(held);
      rig.binder->Amend(ProtocolRig::Amend(7, "u0", "train-0", "u0"));
      rig.Run();
    }
    rig.binder->Abandon(ProtocolRig::Abandon(7));
    rig.Run();
    if (*held != '\0') rig.api.Release(held);
    rig.Advance(10'000);
    EXPECT_EQ(rig.api.pods().at("train-0").node, "") << held;
    EXPECT_EQ(rig.api.TakeEffect(kBind0).status, 409) << held;
    EXPECT_TRUE(rig.api.pods().at("train-1").deleting) << held;
    EXPECT_TRUE(rig.Said("closed 7")) << held;
    const bool named = held == std::string("PUT") || held == std::string(kBind0);
    EXPECT_TRUE(rig.Said(named ? "refused u0 n5" : "refused u0 n0")) << held;
    EXPECT_EQ(rig.Said("amended 7 u0"), named) << held;
  }
}

TEST_F(AmendTest, AnotherPodTakesThePlaceOfALostOne) {
  Lose();
  Replace();
  rig_.Run();
  EXPECT_EQ(rig_.api.log(), (Log{kPage, "POST pods/train-2/binding"}));
  EXPECT_EQ(rig_.said, (Log{"amended 7 u2", "done u2 n5", "closed 7"}));
  EXPECT_EQ(Page(), "n1 nu1: u1; n5 nu5: u2; ");
  EXPECT_EQ(rig_.api.pods().at("train-2").journal, "p-00/7");
  rig_.api.Release(kBind0);  // Of the lost one; too late for anything.
  rig_.Advance(10'000);
  EXPECT_TRUE(rig_.page("p-00").entries.empty());
}

TEST_F(AmendTest, OneThatIsLostAsWellIsReplacedInItsTurn) {
  Lose();
  rig_.api.Hold("PUT");
  Replace();
  rig_.Run();
  rig_.binder->Observe(scheduler::PodGone{"u2"});
  rig_.api.pods().erase("train-2");
  rig_.See("train-2");
  (void)rig_.api.AddPod("train-3", "u3");
  rig_.See("train-3");
  rig_.binder->Amend(ProtocolRig::Amend(7, "u2", "train-3", "u3"));
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_EQ(Page(), "n1 nu1: u1; n5 nu5: u3; ");
  EXPECT_EQ(rig_.api.Count("POST pods/train-2/binding"), 0);
  EXPECT_TRUE(rig_.Said("closed 7"));
}

TEST_F(AmendTest, ANewPodThatHasLeftAlreadyIsLost) {
  Lose();
  rig_.api.pods().erase("train-2");
  rig_.See("train-2");
  Replace();
  rig_.Run();
  EXPECT_TRUE(rig_.api.log().empty());
  (void)rig_.api.AddPod("train-3", "u3");
  rig_.See("train-3");
  rig_.binder->Amend(ProtocolRig::Amend(7, "u2", "train-3", "u3"));
  rig_.Run();
  EXPECT_EQ(Page(), "n1 nu1: u1; n5 nu5: u3; ");
  EXPECT_TRUE(rig_.Said("closed 7"));
}

TEST_F(AmendTest, WhatIsReplacedBeforeThePageIsStoredWaitsForIt) {
  rig_.api.Hold("PUT");
  rig_.binder->Admit(ProtocolRig::Admit(7, 2));
  rig_.Run();
  rig_.binder->Observe(scheduler::PodGone{"u0"});
  (void)rig_.api.AddPod("train-2", "u2");
  rig_.See("train-2");
  Replace();
  rig_.Run();
  EXPECT_EQ(rig_.api.log(), Log{kPage});
  rig_.api.Release("PUT");
  rig_.Run();
  EXPECT_EQ(rig_.api.Count(kPage), 2);
  EXPECT_EQ(rig_.api.Count(kBind0), 0);
  EXPECT_EQ(Page(), "n1 nu1: u1; n5 nu5: u2; ");
  EXPECT_TRUE(rig_.Said("closed 7"));
}

// Nobody has sent anything for it, and nothing is.
TEST_F(AmendTest, AnEntryGivenUpFreesAPodThatItWasToName) {
  Lose();
  rig_.api.Hold("PUT");
  Replace();
  rig_.Run();
  rig_.binder->Abandon(ProtocolRig::Abandon(7));
  rig_.api.Release("PUT");
  rig_.Advance(10'000);
  EXPECT_TRUE(rig_.Said("refused u2 n5"));
  EXPECT_TRUE(rig_.Said("closed 7"));
  EXPECT_EQ(rig_.api.Count("POST") + rig_.api.Count("PATCH pods/train-2"), 0);
  EXPECT_TRUE(rig_.api.pods().contains("train-2"));
}

TEST_F(AmendTest, WhatIsClosedIsNotAmended) {
  rig_.binder->Admit(ProtocolRig::Admit(7, 2));
  rig_.Run();
  ASSERT_TRUE(rig_.Said("closed 7"));
  rig_.api.ClearLog();
  Replace();
  Move();
  rig_.Run();
  EXPECT_TRUE(rig_.api.log().empty());
}

// The first Decide of a new leader moves what the page names on a node that is gone.
TEST(AmendTakenOver, TouchesAsAnyLeaderMayHaveSent) {
  for (const bool touched : {false, true}) {
    ProtocolRig rig(2, {ProtocolRig::PageEntry(7, 2)});
    rig.AddPods(2);
    rig.stores.Put("n5", NodeRecord{.uid = "nu5"});
    rig.stores.EraseNode("n0");
    rig.api.BindAs("p-00/7", "train-1", "n1");
    if (touched) rig.api.Change("train-0");
    for (const char* pod : {"train-0", "train-1"}) rig.See(pod);
    rig.binder->Adopt({ProtocolRig::PageEntry(7, 2)});
    rig.binder->Amend(ProtocolRig::Amend(7, "u0", "train-0", "u0"));
    EXPECT_TRUE(rig.api.log().empty());
    rig.binder->StartAdopted();
    rig.Run();
    EXPECT_EQ(rig.api.log(),
              touched ? (Log{kTouch0, kGet0, kPage, kBind0}) : (Log{kTouch0, kPage, kBind0}));
    EXPECT_EQ(rig.said, (Log{"amended 7 u0", "done u0 n5", "closed 7"}));
    EXPECT_EQ(rig.api.Count("DELETE"), 0);
  }
}

// One that the first Decide of a new leader finds no node for. The old node is there, but takes it
// no more: nothing is sent until it moves, and then what an earlier life has sent comes too late.
TEST(AmendTakenOver, WhatIsStrandedWaitsAndIsTouchedBeforeItMoves) {
  for (const bool acts : {false, true}) {
    ProtocolRig rig(2, {ProtocolRig::PageEntry(7, 2)});
    rig.AddPods(2);
    rig.stores.Put("n0", NodeRecord{.uid = "nu0", .unschedulable = true});
    rig.stores.Put("n5", NodeRecord{.uid = "nu5"});
    rig.api.BindAs("p-00/7", "train-1", "n1");
    for (const char* pod : {"train-0", "train-1"}) rig.See(pod);
    rig.binder->Adopt({ProtocolRig::PageEntry(7, 2)});
    rig.binder->Strand({.id = 7, .pod = "u0", .pod_key = {}});
    rig.binder->StartAdopted();
    rig.Advance(60'000);
    EXPECT_TRUE(rig.api.log().empty());
    EXPECT_TRUE(rig.said.empty());
    if (acts) {
      rig.api.BindAs("p-00/7", "train-0", "n0");
      rig.binder->Amend(ProtocolRig::Amend(7, "u0", "train-0", "u0"));
      rig.Run();
      EXPECT_EQ(rig.said, (Log{"done u0 n0", "closed 7"}));
    } else {
      rig.binder->Amend(ProtocolRig::Amend(7, "u0", "train-0", "u0"));
      rig.Run();
      EXPECT_EQ(rig.api.log(), (Log{kTouch0, kPage, kBind0}));
      EXPECT_EQ(rig.said, (Log{"amended 7 u0", "done u0 n5", "closed 7"}));
    }
    EXPECT_EQ(rig.api.Count("DELETE"), 0);
  }
}

TEST(AmendTakenOver, WhatIsStrandedIsTouchedWhenItIsGivenUp) {
  ProtocolRig rig(2, {ProtocolRig::PageEntry(7, 2)});
  rig.AddPods(2);
  rig.api.BindAs("p-00/7", "train-1", "n1");
  for (const char* pod : {"train-0", "train-1"}) rig.See(pod);
  rig.binder->Adopt({ProtocolRig::PageEntry(7, 2)});
  rig.binder->Strand({.id = 7, .pod = "u0", .pod_key = {}});
  rig.binder->StartAdopted();
  rig.binder->Abandon(ProtocolRig::Abandon(7));
  rig.Run();
  EXPECT_EQ(rig.api.Count(kTouch0), 1);
  EXPECT_EQ(rig.api.Count("POST"), 0);
  EXPECT_TRUE(rig.Said("closed 7"));
}

}  // namespace
}  // namespace muster::controllers
