// Entries found at the start: rolled forward, given up, or settled already.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "controllers/binder.h"
#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

using testing::ProtocolRig;
using testing::TextField;

class TakeOverTest : public ::testing::Test {
 protected:
  TakeOverTest() { rig_.AddPods(2); }
  // What the list shows after the world has changed while nobody led.
  void Start(const crds::JournalEntry& entry = ProtocolRig::PageEntry(7, 2)) {
    for (const char* pod : {"train-0", "train-1"}) rig_.See(pod);
    rig_.binder->Adopt({entry});
    rig_.binder->StartAdopted();
    rig_.Run();
  }

  ProtocolRig rig_{2, {ProtocolRig::PageEntry(7, 2)}};
};

TEST_F(TakeOverTest, SendsNothingBeforeTheFirstDecide) {
  rig_.binder->Adopt({ProtocolRig::PageEntry(7, 2)});
  rig_.Advance(1'000);
  EXPECT_TRUE(rig_.api.log().empty());
}

TEST_F(TakeOverTest, BindsTheRestOnTheNodesOfTheEntry) {
  rig_.api.BindAs("p-00/7", "train-0", "n0");
  Start();
  EXPECT_EQ(rig_.api.log(), std::vector<std::string>{"POST pods/train-1/binding"});
  EXPECT_EQ(rig_.api.pods().at("train-1").node, "n1");
  EXPECT_EQ(TextField(rig_.api.Body("POST"), "muster.dev/journal"), "p-00/7");
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"done u1 n1", "closed 7"}));
}

TEST_F(TakeOverTest, IsSettledWhenAllAreBound) {
  rig_.api.BindAs("p-00/7", "train-0", "n0");
  rig_.api.BindAs("p-00/7", "train-1", "n1");
  Start();
  EXPECT_TRUE(rig_.api.log().empty());
  EXPECT_EQ(rig_.said, std::vector<std::string>{"closed 7"});
  rig_.Advance(5'000);
  EXPECT_TRUE(rig_.page("p-00").entries.empty());
}

TEST_F(TakeOverTest, WritesAChangedVersionFirst) {
  rig_.api.Change("train-1");
  Start();
  EXPECT_EQ(rig_.api.log(),
            (std::vector<std::string>{"POST pods/train-0/binding", "PUT bindingjournals/p-00",
                                      "POST pods/train-1/binding"}));
  EXPECT_TRUE(rig_.Said("closed 7"));
}

TEST_F(TakeOverTest, TellsOfMembersThatAreGone) {
  rig_.api.pods().erase("train-0");
  (void)rig_.api.AddPod("train-1", "u1-again");
  Start();
  EXPECT_TRUE(rig_.api.log().empty());
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"gone u0", "gone u1", "closed 7"}));
}

TEST_F(TakeOverTest, CountsNoForeignBinding) {
  rig_.api.Bind("train-0", "n9");
  Start();
  EXPECT_FALSE(rig_.Said("closed 7"));
  EXPECT_EQ(rig_.api.pods().at("train-1").node, "n1");
}

// The node alone does not say who has bound it.
TEST_F(TakeOverTest, CountsNoForeignBindingToTheNodeOfTheEntry) {
  rig_.api.Bind("train-0", "n0");
  Start();
  EXPECT_FALSE(rig_.Said("closed 7"));
  rig_.binder->Abandon(ProtocolRig::Abandon(7));
  rig_.Advance(5'000);
  EXPECT_FALSE(rig_.api.pods().at("train-0").deleting);
  EXPECT_TRUE(rig_.api.pods().at("train-1").deleting);
  EXPECT_TRUE(rig_.Said("closed 7"));
}

TEST_F(TakeOverTest, GoesOnWithAnAbandon) {
  rig_.api.BindAs("p-00/7", "train-0", "n0");
  crds::JournalEntry entry = ProtocolRig::PageEntry(7, 2);
  entry.abandon = true;
  entry.why = "BindTimeout";
  Start(entry);
  EXPECT_EQ(rig_.api.Count("POST"), 0);
  EXPECT_EQ(TextField(rig_.api.Body("PATCH pods/train-0/status"), "reason"), "BindTimeout");
  EXPECT_TRUE(rig_.api.pods().at("train-0").deleting);
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"done u0 n0", "refused u1 n1", "closed 7"}));
  EXPECT_TRUE(rig_.page("p-00").entries.empty());
}

// The rest of a gang that no entry named stands on the page at the version of the bound pod: a
// touch at that would act on a pod that runs.
TEST_F(TakeOverTest, TouchesNoPodThatTheListShowsBound) {
  rig_.api.BindAs("p-00/3", "train-0", "n0");
  crds::JournalEntry entry = ProtocolRig::PageEntry(7, 2);
  entry.nodes[0].pods[0].resource_version = std::to_string(rig_.api.pods().at("train-0").version);
  entry.abandon = true;
  entry.why = "BindFailed";
  Start(entry);
  const auto& log = rig_.api.log();
  EXPECT_EQ(*std::ranges::find_if(log,
                                  [](const auto& what) {
                                    return what.ends_with("train-0") ||
                                           what.ends_with("train-0/status");
                                  }),
            "GET pods/train-0");
  EXPECT_TRUE(rig_.api.pods().at("train-0").deleting);
  EXPECT_TRUE(rig_.Said("closed 7"));
}

// Some leader may have sent each Binding, so even a member that this one never sent is touched.
TEST_F(TakeOverTest, TouchesWhatTheCoreGivesUpAtItsFirstDecide) {
  for (const char* pod : {"train-0", "train-1"}) rig_.See(pod);
  rig_.binder->Adopt({ProtocolRig::PageEntry(7, 2)});
  rig_.binder->Abandon(ProtocolRig::Abandon(7));
  rig_.binder->StartAdopted();
  rig_.Run();
  EXPECT_EQ(rig_.api.Count("POST"), 0);
  EXPECT_EQ(rig_.api.Count("PATCH"), 2);
  EXPECT_EQ(rig_.said, (std::vector<std::string>{"refused u0 n0", "refused u1 n1", "closed 7"}));
}

}  // namespace
}  // namespace muster::controllers
