// GpuFit, GpuBinPack: what looks at GPUs.
#include <gtest/gtest.h>

#include "scheduler/testing/plugin_bed.h"

namespace muster::scheduler {
namespace {

TEST(GpuFit, WantsOneOfTheProducts) {
  testing::PluginBed bed("GpuFit");
  NodeSeen node = testing::MakeNode("a100", {});
  node.labels = {{"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB"}};
  bed.Add(node);
  bed.Add(testing::MakeNode("bare", {}));
  PodShape shape;
  EXPECT_FALSE(bed.Filters(shape));
  shape.gpu_products = {"NVIDIA-H100", "NVIDIA-A100-SXM4-80GB"};
  EXPECT_EQ(bed.Filter(shape, "a100").pods, kAnyNumber);
  EXPECT_EQ(bed.Filter(shape, "bare").reason, "node(s) didn't have the requested GPU product");
  shape.gpu_products = {"NVIDIA-H100"};
  EXPECT_EQ(bed.Filter(shape, "a100").pods, 0);
}

TEST(GpuBinPack, PrefersTheNodeThatIsLeftWithTheFewestFree) {
  testing::PluginBed bed("GpuBinPack");
  bed.Add(testing::MakeNode("full", {{"nvidia.com/gpu", "8"}}));
  bed.Add(testing::MakeNode("empty", {{"nvidia.com/gpu", "8"}}));
  bed.Add(testing::MakeForeign("f", "full", {{"nvidia.com/gpu", "6"}}));
  PodShape shape;
  EXPECT_EQ(bed.Score(shape, "empty"), 0);
  shape.requests = testing::MakeAmounts({{"nvidia.com/gpu", "2"}});
  EXPECT_EQ(bed.Score(shape, "full"), 100);
  EXPECT_EQ(bed.Score(shape, "empty"), 25);
}

TEST(GpuBinPack, PacksTheResourceThatItIsTold) {
  testing::PluginBed bed("GpuBinPack", {{"resource", std::string("amd.com/gpu")}});
  bed.Add(testing::MakeNode("n", {{"amd.com/gpu", "4"}, {"nvidia.com/gpu", "8"}}));
  PodShape shape;
  shape.requests = testing::MakeAmounts({{"nvidia.com/gpu", "8"}});
  EXPECT_EQ(bed.Score(shape, "n"), 0);
  shape.requests = testing::MakeAmounts({{"amd.com/gpu", "2"}});
  EXPECT_EQ(bed.Score(shape, "n"), 50);
}

}  // namespace
}  // namespace muster::scheduler
