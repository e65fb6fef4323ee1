#include <gtest/gtest.h>

#include "scheduler/testing/plugin_bed.h"

namespace muster::scheduler {
namespace {

TEST(NodeUnschedulable, RefusesACordonedNodeUnlessItsTaintIsTolerated) {
  testing::PluginBed bed("NodeUnschedulable");
  NodeSeen node = testing::MakeNode("open", {});
  bed.Add(node);
  node = testing::MakeNode("cordoned", {});
  node.unschedulable = true;
  bed.Add(node);
  EXPECT_EQ(bed.Filter({}, "open").pods, kAnyNumber);
  EXPECT_EQ(bed.Filter({}, "cordoned").reason, "node(s) were unschedulable");
  EXPECT_EQ(bed.Filter({}, "cordoned").pods, 0);
  PodShape daemon;
  daemon.tolerations.push_back(
      {.key = "node.kubernetes.io/unschedulable", .value = "", .exists = true, .any_effect = true});
  EXPECT_EQ(bed.Filter(daemon, "cordoned").pods, kAnyNumber);
}

}  // namespace
}  // namespace muster::scheduler
