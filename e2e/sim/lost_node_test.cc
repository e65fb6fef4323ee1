// A gang that is half bound when one of its members loses its node, or one of its pods: the entry
// goes on with that member elsewhere, or with another pod. What is bound stays bound, and nothing
// reaches the node that was lost, however late a Binding arrives, and whatever the operator had
// written when it was killed.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "crds/decode.h"
#include "e2e/paths/paths.h"
#include "e2e/sim/scripted_cluster.h"

namespace muster::e2e {
namespace {

const std::string kPods = "/api/v1/namespaces/default/pods/";
const std::string kPage = "/apis/muster.dev/v1alpha1/namespaces/muster-system/bindingjournals/p-00";
constexpr int kMembers = 8;

std::string Pod(int index) {
  return "g-" + std::to_string(index);
}

std::string EntryOf(const Json& pod) {
  return StringAt(pod, {"metadata", "annotations", "muster.dev/journal"});
}

// Eight nodes for eight members, of which four are bound: of the others no Binding arrives.
class LostNode : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  LostNode() {
    for (int i = 1; i <= kMembers; ++i) cluster_.Node("n" + std::to_string(i), 8);
    cluster_.Queue("q", 100);
    cluster_.SetTap([this](const HttpRequest& request, const ScriptedCluster::Serve& serve) {
      for (int i = 4; i < kMembers; ++i) {
        if (holds_ && request.path == kPods + Pod(i) + "/binding") {
          held_.push_back(serve);
          HttpResponse late;
          late.status = 504;
          return late;
        }
      }
      return serve();
    });
    cluster_.StartOperator();
    cluster_.Gang("g", "q", kMembers, 8);
    cluster_.Run(5 * kSecond);
    before_ = cluster_.answered().size();
  }
  [[nodiscard]] int Bound() {
    int bound = 0;
    for (int i = 0; i < kMembers; ++i) bound += cluster_.NodeOf(Pod(i)).empty() ? 0 : 1;
    return bound;
  }
  // Where the page has it; "" = it does not name the pod.
  [[nodiscard]] std::string PlanOf(const std::string& name) {
    const auto page = crds::DecodeBindingJournal(Dump(cluster_.Get(kPage)));
    EXPECT_TRUE(page.ok());
    for (const crds::JournalEntry& entry : page.value().entries) {
      for (const crds::JournalEntry::Node& node : entry.nodes) {
        for (const crds::JournalEntry::Pod& pod : node.pods) {
          if (pod.name == name) return node.name;
        }
      }
    }
    return "";
  }
  // Answered so since the gang was half bound; the body has the text.
  [[nodiscard]] std::int64_t Count(const std::string& what, int status,
                                   const std::string& text = "") const {
    const auto& all = cluster_.answered();
    return std::count_if(all.begin() + static_cast<std::ptrdiff_t>(before_), all.end(),
                         [&](const ScriptedCluster::Answered& answered) {
                           return answered.status == status &&
                                  answered.what.find(what) != std::string::npos &&
                                  answered.body.find(text) != std::string::npos;
                         });
  }
  void LoseNodeOf(const std::string& pod) {
    lost_ = PlanOf(pod);
    ASSERT_FALSE(lost_.empty());
    cluster_.DeleteNode(lost_);
    holds_ = false;
  }
  // What was held arrives; how it is answered is kept in `late_`.
  void ReleaseLate() {
    ASSERT_FALSE(held_.empty());
    for (const ScriptedCluster::Serve& serve : held_) late_.insert(serve().status);
  }
  // All are bound by one entry, none was deleted, none was ever bound to what was lost.
  void ExpectWhole() {
    EXPECT_EQ(Bound(), kMembers);
    EXPECT_TRUE(late_.empty() || late_ == std::set<int>{409});
    EXPECT_EQ(Count("DELETE " + kPods, 200), 0);
    EXPECT_EQ(Count("/binding", 201, "\"" + lost_ + "\""), 0);
    for (int i = 0; i < kMembers; ++i) {
      const Json pod = cluster_.PodNow(Pod(i));
      EXPECT_EQ(EntryOf(pod), EntryOf(cluster_.PodNow(Pod(0)))) << i;
    }
    EXPECT_EQ(PlanOf("g-0"), "") << "The entry has left its page.";
    EXPECT_EQ(cluster_.Condition("g", "Scheduled"), "True Bound");
    EXPECT_EQ(cluster_.complaint(), "");
  }
  // In steps of 1 ms, which no two requests share.
  template <class Condition>
  [[nodiscard]] bool RunUntil(const Condition& holds) {
    for (int ms = 0; ms < 20'000; ++ms) {
      if (holds()) return true;
      cluster_.Run(1);
    }
    return false;
  }
  void Restart() {
    cluster_.KillOperator();
    cluster_.Run(20 * kSecond);
    cluster_.StartOperator();
  }

  void ExpectMovedAfterARestart() {
    Restart();
    cluster_.Run(20 * kSecond);
    ReleaseLate();
    cluster_.Run(20 * kSecond);
    EXPECT_EQ(cluster_.NodeOf("g-7"), "n9");
    ExpectWhole();
  }

  ScriptedCluster cluster_{CrdsFolder(), GetParam()};
  bool holds_ = true;
  std::vector<ScriptedCluster::Serve> held_;
  std::set<int> late_;
  std::string lost_;
  std::size_t before_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Seeds, LostNode, ::testing::Range(std::uint64_t{1}, std::uint64_t{5}));

TEST_P(LostNode, ItsMemberIsBoundElsewhereAndTheRestStays) {
  ASSERT_EQ(Bound(), 4);
  cluster_.Node("n9", 8);
  LoseNodeOf("g-7");
  cluster_.Run(20 * kSecond);
  ReleaseLate();
  cluster_.Run(20 * kSecond);
  EXPECT_EQ(cluster_.NodeOf("g-7"), "n9");
  ExpectWhole();
}

TEST_P(LostNode, AnOperatorThatIsKilledAfterTheTouchLeavesNothingUndone) {
  cluster_.Node("n9", 8);
  LoseNodeOf("g-7");
  const std::string touch = "PATCH " + kPods + "g-7/status";
  ASSERT_TRUE(RunUntil([&] { return Count(touch, 200, "\"BindFailed\"") > 0; }));
  ASSERT_EQ(PlanOf("g-7"), lost_);
  ExpectMovedAfterARestart();
}

TEST_P(LostNode, NorOneThatIsKilledAfterThePageWasWritten) {
  cluster_.Node("n9", 8);
  LoseNodeOf("g-7");
  ASSERT_TRUE(RunUntil([&] { return PlanOf("g-7") == "n9"; }));
  ASSERT_EQ(cluster_.NodeOf("g-7"), "");
  ExpectMovedAfterARestart();
}

TEST_P(LostNode, WithoutRoomItWaitsWhileThereIsTime) {
  LoseNodeOf("g-7");
  cluster_.Run(3 * kMinute);
  EXPECT_EQ(Bound(), kMembers - 1);
  EXPECT_EQ(Count("DELETE " + kPods, 200), 0);
  EXPECT_EQ(StringAt(cluster_.GroupNow("g"), {"status", "message"}),
            "7 of 8 members bound to 7 nodes; g-7 waits for another node, n8 takes it no more: 0/7 "
            "nodes are available: 7 Insufficient nvidia.com/gpu. Needs 8 nvidia.com/gpu on one "
            "node; most free is 0 on n1.");
  EXPECT_EQ(cluster_.Condition("g", "Scheduled"), "False Unschedulable");
  EXPECT_EQ(cluster_.Condition("g", "Admitted"), "True QuotaReserved");
  EXPECT_EQ(Count("/events", 201, "7 of 8 members bound"), 1);
  cluster_.Node("n9", 8);
  cluster_.Run(20 * kSecond);
  ReleaseLate();
  EXPECT_EQ(cluster_.NodeOf("g-7"), "n9");
  ExpectWhole();
}

TEST_P(LostNode, SoItDoesWhenTheOperatorIsStartedAgain) {
  LoseNodeOf("g-7");
  cluster_.Run(3 * kMinute);
  for (int life = 0; life < 2; ++life) {
    Restart();
    cluster_.Run(3 * kMinute);
    EXPECT_EQ(Bound(), kMembers - 1);
    EXPECT_EQ(Count("DELETE " + kPods, 200), 0);
    EXPECT_EQ(PlanOf("g-7"), lost_) << "No page names another node, so this one is held.";
  }
  cluster_.Node("n9", 8);
  cluster_.Run(20 * kSecond);
  ReleaseLate();
  EXPECT_EQ(cluster_.NodeOf("g-7"), "n9");
  ExpectWhole();
}

TEST_P(LostNode, AnOperatorThatIsStartedAfterTheLossUndoesItWhenItsTimeIsOver) {
  cluster_.KillOperator();
  LoseNodeOf("g-7");
  cluster_.StartOperator();
  cluster_.Run(4 * kMinute);
  ASSERT_EQ(Bound(), kMembers - 1);
  EXPECT_EQ(Count("DELETE " + kPods, 200), 0);
  cluster_.Run(2 * kMinute);
  EXPECT_EQ(Bound(), 0);
  ReleaseLate();
  EXPECT_EQ(late_, (std::set<int>{404, 409})) << "Of what was deleted, and of g-7.";
  EXPECT_EQ(PlanOf("g-7"), "");
  EXPECT_EQ(cluster_.complaint(), "");
}

TEST_P(LostNode, AndIsUndoneWhenThatIsOver) {
  LoseNodeOf("g-7");
  cluster_.Run(4 * kMinute);
  ASSERT_EQ(Bound(), kMembers - 1);
  cluster_.Run(2 * kMinute);
  EXPECT_EQ(Bound(), 0);
  EXPECT_EQ(Count("DELETE " + kPods, 200), kMembers - 1);
  EXPECT_EQ(Count("/binding", 201, "\"" + lost_ + "\""), 0);
  ReleaseLate();
  EXPECT_EQ(late_, (std::set<int>{404, 409})) << "Of what was deleted, and of g-7.";
  EXPECT_EQ(Bound(), 0);
  EXPECT_EQ(PlanOf("g-7"), "");
  EXPECT_EQ(cluster_.complaint(), "");
}

// Its owner makes the pod again, under the same name.
TEST_P(LostNode, APodThatIsMadeAgainTakesThePlaceOfTheLostOne) {
  cluster_.DeletePod("g-7");
  cluster_.Run(2 * kSecond);
  holds_ = false;
  cluster_.Run(10 * kSecond);
  EXPECT_EQ(Bound(), kMembers - 1);
  cluster_.Member("g", 7, 8);
  cluster_.Run(20 * kSecond);
  ReleaseLate();
  lost_ = "none";
  ExpectWhole();
}

TEST_P(LostNode, AnOperatorThatIsKilledAfterThePageNamesTheNewPodBindsIt) {
  cluster_.DeletePod("g-7");
  cluster_.Run(2 * kSecond);
  holds_ = false;
  cluster_.Run(10 * kSecond);
  cluster_.Member("g", 7, 8);
  const std::string uid = StringAt(cluster_.PodNow("g-7"), {"metadata", "uid"});
  ASSERT_TRUE(RunUntil([&] { return Dump(cluster_.Get(kPage)).find(uid) != std::string::npos; }));
  ASSERT_EQ(cluster_.NodeOf("g-7"), "");
  Restart();
  cluster_.Run(20 * kSecond);
  ReleaseLate();
  lost_ = "none";
  ExpectWhole();
}

// Its user makes it a member of something else: it leaves the page, and another comes there.
TEST_P(LostNode, AMemberThatIsNoneAnyMoreLeavesItsPlaceToAnother) {
  for (const bool restart : {false, true}) {
    const std::string name = restart ? "g-9" : "g-8";
    const std::string leaver = restart ? "g-6" : "g-7";
    const std::string node = PlanOf(leaver);
    cluster_.Relabel(leaver, "none");
    ASSERT_TRUE(RunUntil([&] { return PlanOf(leaver).empty(); }));
    if (restart) Restart();
    cluster_.Run(20 * kSecond);
    EXPECT_EQ(cluster_.NodeOf(leaver), "");
    cluster_.Member("g", restart ? 9 : 8, 8);
    cluster_.Run(2 * kSecond);
    EXPECT_EQ(PlanOf(name), node);
  }
  holds_ = false;
  cluster_.Run(60 * kSecond);
  ReleaseLate();
  EXPECT_EQ(late_, std::set<int>{409});
  EXPECT_EQ(Bound(), kMembers - 2);
  EXPECT_FALSE(cluster_.NodeOf("g-8").empty());
  EXPECT_FALSE(cluster_.NodeOf("g-9").empty());
  EXPECT_EQ(Count("DELETE " + kPods, 200), 0);
  EXPECT_EQ(cluster_.Condition("g", "Scheduled"), "True Bound");
  EXPECT_EQ(PlanOf("g-0"), "") << "The entry has left its page.";
  EXPECT_EQ(cluster_.complaint(), "");
}

TEST_P(LostNode, SoItIsForOneThatWasBoundAndAfterARestart) {
  cluster_.KillOperator();
  cluster_.DeletePod("g-0");
  cluster_.Run(60 * kSecond);  // The kubelet has ended it.
  ASSERT_TRUE(cluster_.PodNow("g-0").is_null());
  holds_ = false;
  cluster_.StartOperator();
  cluster_.Run(10 * kSecond);
  EXPECT_EQ(Bound(), kMembers - 1);
  cluster_.Member("g", 0, 8);
  cluster_.Run(20 * kSecond);
  lost_ = "none";
  ExpectWhole();
}

}  // namespace
}  // namespace muster::e2e
