#include "scheduler/solve/shape_index.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/framework/policy.h"
#include "scheduler/solve/shape_indexes.h"
#include "scheduler/testing/builders.h"

namespace muster::scheduler {
namespace {

using testing::MakeForeign;
using testing::MakeNode;

class ShapeIndexTest : public ::testing::Test {
 protected:
  ShapeIndexTest() : plugins_(DefaultPolicy()) {
    for (int i = 0; i < 6; ++i) cluster_.Apply(Node(i, 8));
    const PodSeen pod = testing::MakeSingle("probe", "q", {{"nvidia.com/gpu", "2"}, {"cpu", "1"}});
    cluster_.Apply(pod);
    shape_ = cluster_.shape_of(*cluster_.FindPod(pod.uid));
  }
  static NodeSeen Node(int i, int gpus) {
    return MakeNode("n" + std::to_string(i),
                    {{"nvidia.com/gpu", std::to_string(gpus)}, {"cpu", "64"}});
  }
  const Topology& Layout() {
    topology_.CatchUp(cluster_);
    return topology_;
  }
  // Everything that the index knows, against one that is made now.
  void ExpectFresh(const ShapeIndex& index) {
    const ShapeIndex fresh(cluster_, plugins_, Layout(), shape_);
    EXPECT_EQ(index.total_slots(), fresh.total_slots());
    EXPECT_EQ(index.nodes_with_slots(), fresh.nodes_with_slots());
    EXPECT_EQ(index.Best(), fresh.Best());
    EXPECT_EQ(index.Histogram(cluster_), fresh.Histogram(cluster_));
    for (std::uint32_t i = 0; i < cluster_.node_rows(); ++i) {
      EXPECT_EQ(index.key(NodeId{i}), fresh.key(NodeId{i})) << i;
      EXPECT_EQ(index.verdict(NodeId{i}).slots, fresh.verdict(NodeId{i}).slots) << i;
    }
    for (std::uint32_t i = 0; i < topology_.size(); ++i) {
      EXPECT_EQ(index.slots(DomainId{i}), fresh.slots(DomainId{i})) << i;
    }
  }

  // A walk of changes from a fixed seed; after each the index equals one made anew, also inside and
  // after a Transaction that is rolled back.
  void Walk() {
    ShapeIndexes indexes(plugins_);
    std::uint64_t state = 12345;
    const auto draw = [&](std::uint64_t below) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return (state >> 33U) % below;
    };
    for (int step = 0; step < 400; ++step) {
      const std::string name = "n" + std::to_string(draw(8));
      const std::string pod = "f" + std::to_string(draw(20));
      switch (draw(5)) {
        case 0:
          cluster_.Apply(NodeGone{name});
          break;
        case 1: {
          NodeSeen node =
              MakeNode(name, {{"nvidia.com/gpu", std::to_string(draw(9))}, {"cpu", "8"}});
          node.unschedulable = draw(4) == 0;
          if (draw(3) == 0) node.labels = {{"topology.muster.dev/rack", draw(2) == 0 ? "a" : "b"}};
          if (draw(3) == 0) node.taints = {{"a", "", TaintEffect::kPreferNoSchedule}};
          cluster_.Apply(node);
          break;
        }
        case 2:
          cluster_.Apply(PodGone{"uid-" + pod + std::to_string(step - 3)});
          break;
        default:
          cluster_.Apply(MakeForeign(pod + std::to_string(step), name, {{"nvidia.com/gpu", "1"}}));
      }
      ExpectFresh(indexes.At(cluster_, shape_));
      if (const auto best = indexes.At(cluster_, shape_).Best(); best && step % 7 == 0) {
        const PodId pods[] = {*cluster_.FindPod("uid-probe")};
        Transaction transaction(cluster_);
        transaction.Place(pods, *best);
        ExpectFresh(indexes.At(cluster_, shape_));
      }
    }
  }

  PluginSet plugins_;
  Topology topology_{DefaultLevels()};
  Cluster cluster_;
  ShapeId shape_;
};

TEST_F(ShapeIndexTest, CountsSlotsAndReasons) {
  cluster_.Apply(MakeForeign("f", "n0", {{"nvidia.com/gpu", "7"}}));
  NodeSeen node = Node(1, 8);
  node.unschedulable = true;
  cluster_.Apply(node);
  const ShapeIndex index(cluster_, plugins_, Layout(), shape_);
  EXPECT_EQ(index.total_slots(), 16);
  EXPECT_EQ(index.nodes_with_slots(), 4);
  const std::map<std::string, std::int32_t> expected = {{"Insufficient nvidia.com/gpu", 1},
                                                        {"node(s) were unschedulable", 1}};
  EXPECT_EQ(index.Histogram(cluster_), expected);
}

// Two nodes of 4 slots in rack a, one in b, one without a label; a promise and a move are counted.
TEST_F(ShapeIndexTest, CountsTheSlotsOfDomains) {
  const std::vector<std::string> racks = {"a", "a", "b", "", "", ""};
  const auto put = [&](int i, const std::string& rack) {
    NodeSeen node = Node(i, 8);
    if (!rack.empty()) node.labels = {{"topology.muster.dev/rack", rack}};
    cluster_.Apply(node);
  };
  for (int i = 0; i < 6; ++i) put(i, racks[static_cast<std::size_t>(i)]);
  ShapeIndexes indexes(plugins_);
  const auto slots = [&] {
    const ShapeIndex& index = indexes.At(cluster_, shape_);
    std::string text = std::to_string(index.slots(kWholeCluster));
    const Topology& topology = indexes.TopologyOf(cluster_);
    for (const DomainId rack : topology.OfLevel(*topology.FindLevel("rack"))) {
      text += " " + topology.domain(rack).name + "=" + std::to_string(index.slots(rack));
    }
    return text;
  };
  EXPECT_EQ(slots(), "24 a=8 b=4");
  const PodId pods[] = {*cluster_.FindPod("uid-probe")};
  {
    Transaction transaction(cluster_);
    transaction.Place(pods, *cluster_.FindNode("n1"));
    EXPECT_EQ(slots(), "23 a=7 b=4");
  }
  EXPECT_EQ(slots(), "24 a=8 b=4");
  put(0, "b");
  EXPECT_EQ(slots(), "24 a=4 b=8");
  cluster_.Apply(NodeGone{"n2"});
  put(3, "c");
  EXPECT_EQ(slots(), "20 a=4 b=4 c=4");
}

TEST_F(ShapeIndexTest, PutsTheFullestFirstThenTheEarlierName) {
  const ShapeIndex even(cluster_, plugins_, Layout(), shape_);
  EXPECT_EQ(cluster_.node(*even.Best()).name, "n0");
  cluster_.Apply(MakeForeign("f", "n4", {{"nvidia.com/gpu", "4"}}));
  const ShapeIndex packed(cluster_, plugins_, Layout(), shape_);
  EXPECT_EQ(cluster_.node(*packed.Best()).name, "n4");
}

TEST_F(ShapeIndexTest, NormalisesSoftTaintsOverTheEligibleNodes) {
  NodeSeen tainted = Node(0, 8);
  tainted.taints = {{"a", "", TaintEffect::kPreferNoSchedule}};
  cluster_.Apply(tainted);
  ShapeIndex index(cluster_, plugins_, Layout(), shape_);
  EXPECT_EQ(cluster_.node(*index.Best()).name, "n1");
  // A node with two of them halves the malus of the first: keys of all nodes move.
  NodeSeen worse = Node(5, 8);
  worse.taints = {{"a", "", TaintEffect::kPreferNoSchedule},
                  {"b", "", TaintEffect::kPreferNoSchedule}};
  cluster_.Apply(worse);
  ASSERT_TRUE(index.CatchUp(cluster_));
  ExpectFresh(index);
  const auto parts = index.ScoreParts(cluster_, *cluster_.FindNode("n0"));
  EXPECT_EQ(parts.back(), (std::pair<std::string, std::int64_t>{"TaintToleration", 50}));
}

TEST_F(ShapeIndexTest, CatchingUpEqualsRebuilding) {
  Walk();
}

// A node may then be refused for its use first, and for its object behind that.
TEST_F(ShapeIndexTest, CatchingUpEqualsRebuildingWithTheFiltersTurnedRound) {
  const Policy policy = DefaultPolicy();
  Policy turned;
  ASSERT_TRUE(turned.SetLevels(DefaultLevels()).ok());
  for (std::size_t i = policy.uses().size(); i > 0; --i) {
    ASSERT_TRUE(turned.Enable(policy.uses()[i - 1]).ok());
  }
  plugins_ = PluginSet(turned);
  Walk();
}

// Lets everything pass and counts how often it is asked.
class Counting final : public Simple<Counting>, public FilterPlugin {
 public:
  [[nodiscard]] Scope scope() const override { return Scope::kNodeSpec; }
  [[nodiscard]] Fit Filter(const PodView& /*pod*/, const NodeView& /*node*/,
                           const Prepared* /*prepared*/) const override {
    ++asked;
    return AnyNumber();
  }
  static inline int asked = 0;
};

TEST_F(ShapeIndexTest, AFilterOfTheNodeObjectIsNotAskedAgainForItsUse) {
  constexpr PluginDescriptor kCounting = DescribePlugin<Counting>("Counting");
  Policy policy = DefaultPolicy();
  ASSERT_TRUE(policy.Enable({.plugin = &kCounting, .weight = 1, .args = {}}).ok());
  plugins_ = PluginSet(policy);
  ShapeIndex index(cluster_, plugins_, Layout(), shape_);
  Counting::asked = 0;
  cluster_.Apply(MakeForeign("f", "n0", {{"nvidia.com/gpu", "7"}}));
  ASSERT_TRUE(index.CatchUp(cluster_));
  EXPECT_EQ(Counting::asked, 0);
  ExpectFresh(index);
  Counting::asked = 0;
  cluster_.Apply(Node(0, 4));
  ASSERT_TRUE(index.CatchUp(cluster_));
  EXPECT_EQ(Counting::asked, 1);
}

TEST_F(ShapeIndexTest, GrowthIsMeasuredFromTheBaseline) {
  ShapeIndexes indexes(plugins_);
  const auto grew = [&] { return indexes.At(cluster_, shape_).Grew(*cluster_.FindNode("n0")); };
  EXPECT_FALSE(grew());
  cluster_.Apply(MakeForeign("f", "n0", {{"nvidia.com/gpu", "8"}}));
  EXPECT_FALSE(grew());
  cluster_.Apply(PodGone{"uid-f"});
  EXPECT_FALSE(grew());  // As much as at the baseline.
  cluster_.Apply(MakeForeign("g", "n0", {{"nvidia.com/gpu", "8"}}));
  indexes.At(cluster_, shape_);
  indexes.SetBaseline(cluster_);
  cluster_.Apply(PodGone{"uid-g"});
  EXPECT_TRUE(grew());
}

TEST_F(ShapeIndexTest, AtMostSixtyFourLiveAndTheLeastUsedGoes) {
  ShapeIndexes indexes(plugins_);
  std::vector<ShapeId> shapes;
  for (int i = 0; i < 70; ++i) {
    const PodSeen pod =
        testing::MakeSingle("s" + std::to_string(i), "q", {{"cpu", std::to_string(i + 1) + "m"}});
    cluster_.Apply(pod);
    shapes.push_back(cluster_.shape_of(*cluster_.FindPod(pod.uid)));
  }
  for (std::size_t i = 0; i < 64; ++i) indexes.At(cluster_, shapes[i]);
  EXPECT_NE(indexes.IfLive(cluster_, shapes[0]), nullptr);
  indexes.At(cluster_, shapes[64]);
  EXPECT_EQ(indexes.live(), ShapeIndexes::kMaxLive);
  EXPECT_NE(indexes.IfLive(cluster_, shapes[0]), nullptr);
  EXPECT_EQ(indexes.IfLive(cluster_, shapes[1]), nullptr);
}

}  // namespace
}  // namespace muster::scheduler
