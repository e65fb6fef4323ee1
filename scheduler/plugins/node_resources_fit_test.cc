#include <gtest/gtest.h>

#include "scheduler/testing/plugin_bed.h"

namespace muster::scheduler {
namespace {

PodShape Asking(const std::vector<testing::Amount>& amounts) {
  PodShape shape;
  shape.requests = testing::MakeAmounts(amounts);
  return shape;
}

TEST(NodeResourcesFit, CountsHowManyPodsFit) {
  testing::PluginBed bed("NodeResourcesFit");
  bed.Add(testing::MakeNode("n", {{"cpu", "10"}, {"nvidia.com/gpu", "8"}}));
  EXPECT_EQ(bed.Filter(Asking({{"nvidia.com/gpu", "2"}, {"cpu", "3"}}), "n").pods, 3);
  bed.Add(testing::MakeForeign("f", "n", {{"nvidia.com/gpu", "5"}}));
  EXPECT_EQ(bed.Filter(Asking({{"nvidia.com/gpu", "2"}, {"cpu", "3"}}), "n").pods, 1);
  EXPECT_EQ(bed.Filter({}, "n").pods, 109);  // 110 slots, one is taken.
}

TEST(NodeResourcesFit, NamesEveryResourceThatIsShort) {
  testing::PluginBed bed("NodeResourcesFit");
  bed.Add(testing::MakeNode("n", {{"cpu", "1"}, {"nvidia.com/gpu", "8"}, {"pods", "0"}}));
  // Requests in the order of their names: cpu, example.com/fpga, nvidia.com/gpu.
  const Fit fit =
      bed.Filter(Asking({{"nvidia.com/gpu", "1"}, {"cpu", "2"}, {"example.com/fpga", "1"}}), "n");
  EXPECT_EQ(fit.pods, 0);
  EXPECT_EQ(fit.reason, "Too many pods");
  EXPECT_EQ(fit.lacking, 0b011U);
}

TEST(NodeResourcesFit, FreeBelowZeroTakesNothing) {
  testing::PluginBed bed("NodeResourcesFit");
  bed.Add(testing::MakeForeign("f", "n", {{"nvidia.com/gpu", "8"}}));
  bed.Add(testing::MakeNode("n", {{"nvidia.com/gpu", "4"}}));
  EXPECT_EQ(bed.Filter(Asking({{"nvidia.com/gpu", "1"}}), "n").pods, 0);
  EXPECT_GT(bed.Filter(Asking({{"nvidia.com/gpu", "0"}}), "n").pods, 0);
}

// Upstream's worked numbers: a quarter used, another quarter asked for.
TEST(NodeResourcesFit, ScoresLeastAndMostAllocated) {
  for (const std::string strategy : {"LeastAllocated", "MostAllocated"}) {
    testing::PluginBed bed("NodeResourcesFit", {{"strategy", strategy}});
    bed.Add(testing::MakeNode("n", {{"cpu", "4"}, {"memory", "8Gi"}}));
    bed.Add(testing::MakeForeign("f", "n", {{"cpu", "1"}, {"memory", "2Gi"}}));
    EXPECT_EQ(bed.Score(Asking({{"cpu", "1"}, {"memory", "2Gi"}}), "n"), 50) << strategy;
    const std::int64_t more = bed.Score(Asking({{"cpu", "3"}, {"memory", "2Gi"}}), "n");
    EXPECT_EQ(more, strategy == "MostAllocated" ? 75 : 25) << strategy;
  }
}

TEST(NodeResourcesFit, RefusesAnUnknownStrategy) {
  for (const PluginDescriptor* plugin : AllPlugins()) {
    if (plugin->name != "NodeResourcesFit") continue;
    EXPECT_EQ(plugin->create({{"strategy", std::string("Most")}}).error().message,
              "argument 'strategy' must be LeastAllocated or MostAllocated");
    EXPECT_EQ(plugin->create({{"strategi", std::string("x")}}).error().message,
              "unknown argument 'strategi'; did you mean 'strategy'?");
  }
}

}  // namespace
}  // namespace muster::scheduler
