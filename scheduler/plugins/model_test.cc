// ModelRequired, ModelLocality: what looks at cached models.
#include <gtest/gtest.h>

#include "scheduler/testing/plugin_bed.h"

namespace muster::scheduler {
namespace {

void AddNodes(testing::PluginBed& bed) {
  NodeSeen node = testing::MakeNode("holds", {});
  node.cached_models = {"llama-3-70b", "qwen-2"};
  bed.Add(node);
  bed.Add(testing::MakeNode("bare", {}));
}

TEST(ModelRequired, InsistsWhereThePodDoes) {
  testing::PluginBed bed("ModelRequired");
  AddNodes(bed);
  PodShape shape;
  shape.model = "qwen-2";
  EXPECT_FALSE(bed.Filters(shape));
  shape.model_required = true;
  EXPECT_EQ(bed.Filter(shape, "holds").pods, kAnyNumber);
  EXPECT_EQ(bed.Filter(shape, "bare").reason, "node(s) didn't hold the required model");
}

TEST(ModelLocality, ScoresTheNodesThatHoldIt) {
  testing::PluginBed bed("ModelLocality");
  AddNodes(bed);
  PodShape shape;
  EXPECT_FALSE(bed.Scores(shape));
  shape.model = "qwen-2";
  EXPECT_EQ(bed.Score(shape, "holds"), 100);
  EXPECT_EQ(bed.Score(shape, "bare"), 0);
  shape.model = "mistral";
  EXPECT_EQ(bed.Score(shape, "holds"), 0);
}

}  // namespace
}  // namespace muster::scheduler
