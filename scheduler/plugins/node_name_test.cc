#include <gtest/gtest.h>

#include "scheduler/testing/plugin_bed.h"

namespace muster::scheduler {
namespace {

TEST(NodeName, TakesTheNamedNodeAlone) {
  testing::PluginBed bed("NodeName");
  bed.Add(testing::MakeNode("a", {}));
  bed.Add(testing::MakeNode("b", {}));
  PodShape shape;
  EXPECT_FALSE(bed.Filters(shape));
  shape.node_name = "b";
  EXPECT_TRUE(bed.Filters(shape));
  EXPECT_EQ(bed.Filter(shape, "b").pods, kAnyNumber);
  EXPECT_EQ(bed.Filter(shape, "a").reason, "node(s) didn't match the requested node name");
}

}  // namespace
}  // namespace muster::scheduler
