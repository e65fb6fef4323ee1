// Every extension point is called, with what it promises: one test plugin that stands in all of
// them and keeps a diary.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/framework/policy.h"
#include "scheduler/solve/scheduler.h"
#include "scheduler/testing/builders.h"

namespace muster::scheduler {
namespace {

// What the test lets the plugin say, and what the plugin heard. Plugins keep no state of their own.
struct Diary {
  bool held = false, permits = true;
  std::map<std::string, int> calls;
};
Diary& TheDiary() {
  static Diary diary;
  return diary;
}

class Diarist final : public Simple<Diarist>,
                      public PreEnqueuePlugin,
                      public QueueSortPlugin,
                      public FilterPlugin,
                      public PostFilterPlugin,
                      public ScorePlugin,
                      public ReservePlugin,
                      public PermitPlugin,
                      public PreBindPlugin,
                      public PostBindPlugin {
 public:
  struct Notes final : Prepared {};

  [[nodiscard]] std::optional<std::string> PreEnqueue(const GangView& /*gang*/) const override {
    ++TheDiary().calls["PreEnqueue"];
    if (TheDiary().held) return "held by a plugin";
    return std::nullopt;
  }
  [[nodiscard]] SortKey QueueSort(const GangView& gang) const override {
    ++TheDiary().calls["QueueSort"];
    // The longest name first: nothing that the built-in order would do.
    return {-static_cast<std::int64_t>(gang.cluster.gang(gang.gang).key.name.size())};
  }
  [[nodiscard]] Scope scope() const override { return Scope::kNodeSpec; }
  [[nodiscard]] bool Applies(const PodView& /*pod*/) const override { return true; }
  [[nodiscard]] std::unique_ptr<Prepared> Prepare(const PodView& /*pod*/) const override {
    ++TheDiary().calls["Prepare"];  // PreFilter and PreScore.
    return std::make_unique<Notes>();
  }
  [[nodiscard]] Fit Filter(const PodView& /*pod*/, const NodeView& node,
                           const Prepared* prepared) const override {
    EXPECT_NE(dynamic_cast<const Notes*>(prepared), nullptr);
    ++TheDiary().calls["Filter"];
    if (node.cluster.node(node.node).name == "forbidden") return Refused("node(s) were forbidden");
    return AnyNumber();
  }
  [[nodiscard]] std::string PostFilter(const GangView& /*gang*/) const override {
    ++TheDiary().calls["PostFilter"];
    return "A plugin could not help.";
  }
  [[nodiscard]] Normalize normalize() const override { return Normalize::kByMax; }
  [[nodiscard]] std::int64_t Score(const PodView& /*pod*/, const NodeView& node,
                                   const Prepared* prepared) const override {
    EXPECT_NE(dynamic_cast<const Notes*>(prepared), nullptr);
    ++TheDiary().calls["Score"];
    return node.cluster.node(node.node).name == "b" ? 400 : 100;
  }
  void Reserve(Transaction& transaction, const Assignment& assignment) const override {
    ++TheDiary().calls["Reserve"];
    transaction.Set({Column::kPodPick, assignment.pod.value}, 7);
  }
  [[nodiscard]] std::optional<std::string> Permit(
      const GangView& /*gang*/, std::span<const Assignment> assignments) const override {
    ++TheDiary().calls["Permit of " + std::to_string(assignments.size())];
    if (TheDiary().permits) return std::nullopt;
    return "not today";
  }
  void PreBind(const GangView& gang, const Assignment& assignment,
               std::map<std::string, std::string>& annotations) const override {
    const Cluster& cluster = gang.cluster;
    annotations["example.com/rank"] = std::to_string(cluster.pod(assignment.pod).rank);
  }
  void PostBind(const GangView& gang, const Assignment& assignment) const override {
    ++TheDiary().calls["PostBind " + gang.cluster.node(assignment.node).name];
  }
};

constexpr PluginDescriptor kDiarist = DescribePlugin<Diarist>("Diarist");

class ExtensionPoints : public ::testing::Test {
 protected:
  ExtensionPoints() : scheduler_(WithDiarist()) {
    TheDiary() = {};
    for (const char* node : {"a", "b", "forbidden"}) {
      Apply(testing::MakeNode(node, {{"nvidia.com/gpu", "8"}}));
    }
    Apply(NamespaceSeen{"default", {}});
    Apply(testing::MakeQueue("q"));
    Apply(Synced{});
  }
  static Policy WithDiarist() {
    Policy policy = DefaultPolicy();
    EXPECT_TRUE(policy.Enable({.plugin = &kDiarist, .weight = 2, .args = {}}).ok());
    return policy;
  }
  void Apply(const Event& event) { scheduler_.Apply(event); }
  PodSeen Submit(const std::string& name, int pods, std::string_view gpus = "1") {
    Apply(testing::MakeGang(name, "q", pods));
    PodSeen last;
    for (int i = 0; i < pods; ++i) {
      last = testing::MakeMember(name, i, {{"nvidia.com/gpu", gpus}});
      Apply(last);
    }
    return last;
  }
  Decision Decide() {
    ++now_.mono.ms;
    return scheduler_.Decide(now_, {});
  }
  int Calls(const std::string& what) { return TheDiary().calls[what]; }

  Scheduler scheduler_;
  Now now_;
};

TEST_F(ExtensionPoints, AnAdmittedGangPassesAllOfThem) {
  const PodSeen pod = Submit("g", 1);
  const Decision decision = Decide();
  ASSERT_EQ(decision.admits.size(), 1U);
  // Score: 400 of at most 400 is 100, so b wins over a by 2 x 75; name order would say a.
  const Decision::Bind& bind = decision.admits[0].pods.at(0);
  EXPECT_EQ(bind.node, "b");
  const std::pair<std::string, std::string> rank{"example.com/rank", "0"};
  ASSERT_EQ(bind.annotations.size(), 1U);
  EXPECT_EQ(bind.annotations[0], rank);
  for (const char* point : {"PreEnqueue", "QueueSort", "Prepare", "Filter", "Score", "Reserve"}) {
    EXPECT_GT(Calls(point), 0) << point;
  }
  EXPECT_GE(Calls("Prepare"), 2);
  EXPECT_EQ(Calls("Permit of 1"), 1);
  const Cluster& cluster = scheduler_.cluster();
  EXPECT_EQ(cluster.columns().Get({Column::kPodPick, cluster.FindPod(pod.uid)->value}), 7);
  const auto scores = scheduler_.Explain(testing::GroupKey("g"))->scores;
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores[1].plugins[0], (std::pair<std::string, std::int64_t>{"Diarist", 100}));
  EXPECT_EQ(scores[0].plugins[0], (std::pair<std::string, std::int64_t>{"Diarist", 25}));

  EXPECT_EQ(Calls("PostBind b"), 0);
  Apply(BindAnswered{pod.uid, "b", Answer::kDone});
  EXPECT_EQ(Calls("PostBind b"), 1);
  Apply(testing::BoundTo(pod, "b", "q", "uid-group-g"));
  EXPECT_EQ(Calls("PostBind b"), 1);  // Known already.
}

TEST_F(ExtensionPoints, PreEnqueueHoldsAGang) {
  TheDiary().held = true;
  Submit("g", 1);
  EXPECT_TRUE(Decide().admits.empty());
  EXPECT_EQ(scheduler_.Status(testing::GroupKey("g"))->message, "held by a plugin");
  TheDiary().held = false;
  Apply(testing::MakeMember("g", 1, {{"nvidia.com/gpu", "1"}}));  // The gang is looked at again.
  EXPECT_EQ(Decide().admits.size(), 1U);
}

TEST_F(ExtensionPoints, QueueSortOrders) {
  Submit("a", 2, "8");
  Submit("long-name", 2, "8");
  const Decision decision = Decide();
  ASSERT_EQ(decision.admits.size(), 1U);
  EXPECT_EQ(decision.admits[0].gang.name, "long-name");
}

TEST_F(ExtensionPoints, PostFilterAddsToTheMessageOfTheRefused) {
  Submit("g", 3, "8");
  EXPECT_TRUE(Decide().admits.empty());
  const auto status = scheduler_.Status(testing::GroupKey("g"));
  EXPECT_NE(status->message.find("1 node(s) were forbidden"), std::string::npos);
  EXPECT_NE(status->message.find("A plugin could not help."), std::string::npos);
  EXPECT_GT(Calls("PostFilter"), 0);
}

TEST_F(ExtensionPoints, PermitRefusesTheWholeGangAndLeavesNoTrace) {
  TheDiary().permits = false;
  Submit("g", 2);
  const std::string before = scheduler_.cluster().Snapshot();
  EXPECT_TRUE(Decide().admits.empty());
  EXPECT_EQ(Calls("Permit of 2"), 1);
  EXPECT_EQ(Calls("Reserve"), 2);
  // Unreserve: what Reserve wrote is gone with the Transaction.
  EXPECT_EQ(scheduler_.cluster().Snapshot(), before);
  EXPECT_EQ(scheduler_.Status(testing::GroupKey("g"))->message, "not today");
}

}  // namespace
}  // namespace muster::scheduler
