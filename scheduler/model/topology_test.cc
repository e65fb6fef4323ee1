#include "scheduler/model/topology.h"

#include <string>

#include <gtest/gtest.h>

#include "scheduler/testing/builders_cluster.h"

namespace muster::scheduler {
namespace {

NodeSeen Labelled(const std::string& name, Labels labels) {
  NodeSeen node = testing::MakeNode(name, {});
  node.labels = std::move(labels);
  return node;
}

// "zone/rack: nodes" for each domain, in the order of their ids; the path from the outside.
std::string Tree(const Cluster& cluster, const Topology& topology) {
  std::string text;
  for (std::uint32_t i = 0; i < topology.size(); ++i) {
    std::string path;
    for (DomainId id{i}; id != kWholeCluster; id = topology.domain(id).parent) {
      path = topology.domain(id).name + (path.empty() ? "" : "/") + path;
    }
    std::string nodes;
    for (const NodeId node : cluster.nodes()) {
      if (topology.Contains(DomainId{i}, node)) nodes += " " + cluster.node(node).name;
    }
    text += path + ":" + nodes + "\n";
  }
  return text;
}

class TopologyTest : public ::testing::Test {
 protected:
  TopologyTest() {
    testing::ApplyAll(cluster_, Labelled("n1", {{"rack", "r1"}, {"zone", "a"}}),
                      Labelled("n2", {{"rack", "r1"}, {"zone", "b"}}),
                      Labelled("n3", {{"rack", "r0"}, {"zone", "b"}}),
                      Labelled("n4", {{"zone", "b"}}), Labelled("n5", {{"rack", "r1"}}),
                      Labelled("n6", {}));
    topology_.CatchUp(cluster_);
  }
  NodeId Node(const std::string& name) { return *cluster_.FindNode(name); }

  Cluster cluster_;
  Topology topology_{{{"zone", "zone"}, {"rack", "rack"}}};
};

TEST_F(TopologyTest, ADomainHasAllLabelsAroundItInCommon) {
  EXPECT_EQ(Tree(cluster_, topology_),
            ": n1 n2 n3 n4 n5 n6\n"
            "a: n1\n"
            "a/r1: n1\n"
            "b: n2 n3 n4\n"
            "b/r0: n3\n"
            "b/r1: n2\n"
            "r1: n5\n");
}

TEST_F(TopologyTest, ANodeWithoutTheLabelIsInNoDomainOfTheLevel) {
  const LevelId zone = *topology_.FindLevel("zone");
  const LevelId rack = *topology_.FindLevel("rack");
  EXPECT_EQ(topology_.FindLevel("host"), std::nullopt);
  EXPECT_EQ(topology_.At(Node("n4"), rack), std::nullopt);
  EXPECT_EQ(topology_.At(Node("n5"), zone), std::nullopt);
  EXPECT_EQ(topology_.At(Node("n6"), zone), std::nullopt);
  EXPECT_EQ(topology_.At(Node("n6"), 0), kWholeCluster);
  EXPECT_EQ(topology_.At(Node("n4"), zone), topology_.At(Node("n2"), zone));
  EXPECT_NE(topology_.At(Node("n1"), rack), topology_.At(Node("n2"), rack));
  EXPECT_EQ(topology_.OfLevel(rack).size(), 4U);
  EXPECT_EQ(topology_.OfLevel(zone).size(), 2U);
}

TEST_F(TopologyTest, WhatDoesNotMoveANodeLeavesTheLayout) {
  const std::uint64_t before = topology_.layout();
  NodeSeen busy = Labelled("n1", {{"other", "x"}, {"rack", "r1"}, {"zone", "a"}});
  busy.unschedulable = true;
  testing::ApplyAll(cluster_, busy, testing::MakeForeign("f", "n2", testing::Cpus("1")));
  topology_.CatchUp(cluster_);
  EXPECT_EQ(topology_.layout(), before);
  testing::ApplyAll(cluster_, Labelled("n1", {{"rack", "r1"}, {"zone", "b"}}));
  EXPECT_FALSE(topology_.IsCurrent(cluster_));
  topology_.CatchUp(cluster_);
  EXPECT_NE(topology_.layout(), before);
  EXPECT_EQ(topology_.At(Node("n1"), 2), topology_.At(Node("n2"), 2));
}

// Whatever came in which order: the tree is that of a topology made now.
TEST_F(TopologyTest, CatchingUpEqualsLayingOutAnew) {
  std::uint64_t state = 7;
  const auto draw = [&](std::uint64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33U) % below;
  };
  for (int step = 0; step < 300; ++step) {
    const std::string name = "n" + std::to_string(draw(8));
    Labels labels;
    if (draw(2) == 0) labels.emplace_back("rack", "r" + std::to_string(draw(3)));
    if (draw(2) == 0) labels.emplace_back("zone", draw(2) == 0 ? "a" : "b");
    if (draw(4) == 0) {
      cluster_.Apply(NodeGone{name});
      cluster_.ClearTouched();  // Its row may be given out again.
    } else {
      cluster_.Apply(Labelled(name, labels));
    }
    if (draw(3) == 0) continue;
    topology_.CatchUp(cluster_);
    Topology fresh({{"zone", "zone"}, {"rack", "rack"}});
    fresh.CatchUp(cluster_);
    ASSERT_EQ(Tree(cluster_, topology_), Tree(cluster_, fresh)) << step;
  }
}

}  // namespace
}  // namespace muster::scheduler
