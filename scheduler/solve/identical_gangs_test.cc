// A thousand gangs that ask for the same and do not fit cost as much as one of them, counted in the
// nodes that a filter is asked about.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "scheduler/framework/policy.h"
#include "scheduler/solve/scheduler.h"
#include "scheduler/testing/builders.h"

namespace muster::scheduler {
namespace {

constexpr int kNodes = 200;
constexpr int kGangs = 1'000;

std::int64_t& Asked() {
  static std::int64_t asked = 0;
  return asked;
}

// Lets everybody in, and counts.
class Counter final : public Simple<Counter>, public FilterPlugin {
 public:
  [[nodiscard]] Scope scope() const override { return Scope::kNodeUse; }
  [[nodiscard]] Fit Filter(const PodView& /*pod*/, const NodeView& /*node*/,
                           const Prepared* /*prepared*/) const override {
    ++Asked();
    return AnyNumber();
  }
};
constexpr PluginDescriptor kCounter = DescribePlugin<Counter>("Counter");

Policy WithCounter() {
  // Before the others: one that refuses ends the questions about a node.
  Policy policy;
  EXPECT_TRUE(policy.Enable({.plugin = &kCounter, .weight = 1, .args = {}}).ok());
  const Policy base = DefaultPolicy();
  for (const Policy::Use& use : base.uses()) EXPECT_TRUE(policy.Enable(use).ok());
  return policy;
}

class IdenticalGangs : public ::testing::Test {
 protected:
  IdenticalGangs() { Fill(); }
  // A cluster that is full, of which nobody has asked anything yet.
  void Fill() {
    scheduler_ = Scheduler(WithCounter());
    scheduler_.Apply(NamespaceSeen{"default", {}});
    scheduler_.Apply(testing::MakeQueue("q", {{"nvidia.com/gpu", "1600"}}));
    for (int i = 1; i <= kNodes; ++i) {
      const std::string number = std::to_string(i);
      scheduler_.Apply(testing::MakeNode("m" + number, {{"nvidia.com/gpu", "8"}, {"cpu", "64"}}));
      scheduler_.Apply(testing::BoundTo(Runner(i), "m" + number, "q", "uid-group-r" + number));
      scheduler_.Apply(testing::MakeGang("r" + number, "q", 1));
    }
    scheduler_.Apply(Synced{});
  }
  static PodSeen Runner(int i) {
    return testing::MakeMember("r" + std::to_string(i), 0, {{"nvidia.com/gpu", "8"}});
  }
  // Gangs w<first> to w<last>, of four whole nodes each.
  void Submit(int first, int last) {
    for (int i = first; i <= last; ++i) {
      const std::string name = "w" + std::to_string(i);
      scheduler_.Apply(testing::MakeGang(name, "q", 4));
      for (int member = 0; member < 4; ++member) {
        scheduler_.Apply(testing::MakeMember(name, member, {{"nvidia.com/gpu", "8"}}));
      }
    }
  }
  // How many nodes were asked about; `admitted` is what it decided.
  std::int64_t Decide(const std::string& admitted = "") {
    const std::int64_t before = Asked();
    ++now_.mono.ms;
    const Decision decision = scheduler_.Decide(now_, {});
    std::string names;
    for (const auto& admit : decision.admits) names += admit.gang.name;
    EXPECT_EQ(names, admitted);
    EXPECT_FALSE(decision.more);
    return Asked() - before;
  }
  [[nodiscard]] std::int32_t Attempts(const std::string& gang) {
    return scheduler_.Status(testing::GroupKey(gang))->attempts;
  }

  Scheduler scheduler_{DefaultPolicy()};
  Now now_;
};

TEST_F(IdenticalGangs, CostWhatOneCosts) {
  Submit(1, 1);
  const std::int64_t one = Decide();
  EXPECT_GE(one, kNodes);
  Submit(2, kGangs);
  EXPECT_EQ(Decide(), 0) << "What holds for the first holds for all of them.";
  EXPECT_EQ(Attempts("w1"), 1);
  Fill();
  Submit(1, kGangs);
  EXPECT_EQ(Decide(), one) << "All at once.";
}

TEST_F(IdenticalGangs, HideNobodyWhoFits) {
  Submit(1, kGangs);
  (void)Decide();
  scheduler_.Apply(testing::MakeGang("c", "q", 1));
  scheduler_.Apply(testing::MakeMember("c", 0, {{"cpu", "1"}}));
  EXPECT_LE(Decide("c"), kNodes + 1) << "Its own shape, and once more the node that it took.";
}

// Room for one of the four: they are asked again together, about that node.
TEST_F(IdenticalGangs, AreLookedAtTogetherWhenANodeBecomesFree) {
  Submit(1, kGangs);
  (void)Decide();
  PodSeen ended = testing::BoundTo(Runner(7), "m7", "q", "uid-group-r7");
  ended.state = PodState::kSucceeded;
  scheduler_.Apply(ended);
  EXPECT_EQ(Decide(), 1);
  EXPECT_EQ(Decide(), 0);
}

}  // namespace
}  // namespace muster::scheduler
