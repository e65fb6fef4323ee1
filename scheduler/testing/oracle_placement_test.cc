// Placement finds a way if and only if brute force does, on every cluster of up to four nodes and
// four members over the sizes 1, 2, 4 and 8.
#include "scheduler/testing/oracle_placement.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/framework/policy.h"
#include "scheduler/model/transaction.h"
#include "scheduler/solve/placement.h"
#include "scheduler/testing/builders.h"

namespace muster::scheduler {
namespace {

constexpr const char* kGpu = "nvidia.com/gpu";

// All non-descending lists of 1 to `most` of the sizes.
std::vector<std::vector<int>> Lists(std::size_t most) {
  const std::vector<int> sizes = {1, 2, 4, 8};
  std::vector<std::vector<int>> lists;
  std::vector<std::vector<int>> longest = {{}};
  for (std::size_t length = 1; length <= most; ++length) {
    std::vector<std::vector<int>> next;
    for (const auto& list : longest) {
      for (const int size : sizes) {
        if (!list.empty() && size < list.back()) continue;
        next.push_back(list);
        next.back().push_back(size);
      }
    }
    lists.insert(lists.end(), next.begin(), next.end());
    longest = next;
  }
  return lists;
}

// One cluster for a list of nodes; the gangs of all lists of members are in it, pending.
class Placements {
 public:
  explicit Placements(const std::vector<int>& nodes) : plugins_(DefaultPolicy()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::string gpus = std::to_string(nodes[i]);
      NodeSeen node = testing::MakeNode("n" + std::to_string(i), {{kGpu, gpus}});
      // What it holds draws pods elsewhere than room does, and keeps none from its place.
      if (i % 2 == 1) node.images = {{"i:1", std::int64_t{1} << 40U}};
      cluster_.Apply(node);
    }
    cluster_.Apply(testing::MakeQueue("q"));
  }

  using Place = std::function<Placement(const PlaceContext&, std::span<const PodId>)>;
  // Whether `place` finds a way; what it finds must be one.
  bool Finds(const std::vector<int>& members, const Place& place) {
    std::vector<PodId> pods;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::string gpus = std::to_string(members[i]);
      PodSeen pod = testing::MakeSingle("p" + std::to_string(made_++), "q", {{kGpu, gpus}});
      pod.images = {"i:1"};
      cluster_.Apply(pod);
      pods.push_back(*cluster_.FindPod(pod.uid));
    }
    ShapeIndexes indexes(plugins_);
    std::int32_t steps = 200'000;
    Transaction transaction(cluster_);
    const Placement placement = place({cluster_, indexes, transaction, steps, &plugins_}, pods);
    EXPECT_FALSE(placement.out_of_steps);
    if (placement.ok) {
      EXPECT_EQ(placement.assignments.size(), members.size());
    }
    const ResourceId gpu = *cluster_.resources().Find(kGpu);
    for (const NodeId node : cluster_.nodes()) {
      EXPECT_LE(cluster_.used(node)[gpu.value], cluster_.allocatable(node)[gpu.value]);
    }
    return placement.ok;
  }

 private:
  PluginSet plugins_;
  Cluster cluster_;
  int made_ = 0;
};

// Over all orders of the nodes: it means nothing for whether the members fit, but names break ties
// in the search.
int Differences(const Placements::Place& place) {
  int differences = 0;
  const auto members = Lists(4);
  for (auto nodes : Lists(4)) {
    std::vector<bool> any;
    for (const auto& list : members) any.push_back(testing::AnyPlacement(nodes, list));
    do {
      Placements placements(nodes);
      for (std::size_t i = 0; i < members.size(); ++i) {
        differences += placements.Finds(members[i], place) == any[i] ? 0 : 1;
      }
    } while (std::next_permutation(nodes.begin(), nodes.end()));
  }
  return differences;
}

TEST(OraclePlacement, AgreesOnAllSmallClusters) {
  EXPECT_EQ(Lists(4).size(), 69U);
  EXPECT_EQ(Differences([](const PlaceContext& context, std::span<const PodId> pods) {
              return PlaceAll(context, pods);
            }),
            0);
}

// Each pod to the node with the most room, no choice ever taken back: what the oracle must tell.
Placement Greedy(const PlaceContext& context, std::span<const PodId> pods) {
  Placement placement;
  for (const PodId pod : pods) {
    const ShapeIndex& index = context.indexes.At(context.cluster, context.cluster.shape_of(pod));
    std::optional<NodeId> best;
    for (const NodeId node : context.cluster.nodes()) {
      const std::int32_t slots = index.verdict(node).slots;
      if (slots > 0 && (!best || slots > index.verdict(*best).slots)) best = node;
    }
    if (!best) return placement;
    context.transaction.Place({&pod, 1}, *best);
    placement.assignments.push_back({pod, *best});
  }
  placement.ok = true;
  return placement;
}

TEST(OraclePlacement, CatchesAGreedyPlacement) {
  EXPECT_GT(Differences(Greedy), 0);
}

TEST(OraclePlacement, KnowsWhatFits) {
  EXPECT_TRUE(testing::AnyPlacement({4, 4}, {2, 2, 4}));
  EXPECT_FALSE(testing::AnyPlacement({4, 4}, {2, 2, 2, 4}));
  EXPECT_FALSE(testing::AnyPlacement({}, {1}));
}

}  // namespace
}  // namespace muster::scheduler
