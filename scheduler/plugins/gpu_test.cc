// GpuFit, GpuBinPack: what looks at GPUs.
#include <string>
#include <utility>

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

// What a pod with this wish is told on a node with these labels; "" = it fits.
std::string Told(Labels labels, const PodShape& shape) {
  testing::PluginBed bed("GpuFit");
  NodeSeen node = testing::MakeNode("n", {});
  node.labels = std::move(labels);
  bed.Add(node);
  EXPECT_TRUE(bed.Filters(shape));
  const Fit fit = bed.Filter(shape, "n");
  EXPECT_EQ(fit.pods > 0, fit.reason.empty());
  return std::string(fit.reason);
}

TEST(GpuFit, WantsTheMemoryOfEachGpu) {
  const std::string memory = "nvidia.com/gpu.memory";
  const std::string too_small = "node(s) didn't have the requested GPU memory";
  PodShape shape;
  shape.gpu_memory_min = 40LL << 30;
  EXPECT_EQ(Told({{memory, "40960"}}, shape), "");
  EXPECT_EQ(Told({{memory, "81920"}}, shape), "");
  EXPECT_EQ(Told({{memory, "40959"}}, shape), too_small);
  EXPECT_EQ(Told({{memory, "40 GB"}}, shape), too_small);
  EXPECT_EQ(Told({}, shape), too_small);
  shape.gpu_memory_min = -1;
  EXPECT_EQ(Told({{memory, "81920"}}, shape),
            "node(s) can't match annotation muster.dev/gpu-memory-min: it is no quantity");
}

TEST(GpuFit, WantsADriverThatIsNewEnough) {
  const std::string full = "nvidia.com/cuda.driver-version.full";
  const std::string too_old = "node(s) didn't have the requested driver version";
  PodShape shape;
  shape.driver_version_min = "535.104";
  EXPECT_EQ(Told({{full, "535.104.05"}}, shape), "");
  EXPECT_EQ(Told({{full, "1000.1.1"}}, shape), "");
  EXPECT_EQ(Told({{full, "535.99.12"}}, shape), too_old);
  EXPECT_EQ(Told({}, shape), too_old);
  // As GPU feature discovery said it before.
  const Labels parts = {{"nvidia.com/cuda.driver.major", "550"},
                        {"nvidia.com/cuda.driver.minor", "54"},
                        {"nvidia.com/cuda.driver.rev", "15"}};
  EXPECT_EQ(Told(parts, shape), "");
  shape.driver_version_min = "550.54.16";
  EXPECT_EQ(Told(parts, shape), too_old);
  for (const char* wrong : {"new", "535.", "1.2.3.4", "-1"}) {
    shape.driver_version_min = wrong;
    EXPECT_EQ(Told(parts, shape),
              "node(s) can't match annotation muster.dev/driver-version-min: it is no version");
  }
}

TEST(GpuFit, WantsRdma) {
  const std::string available = "feature.node.kubernetes.io/rdma.available";
  PodShape shape;
  shape.rdma = "required";
  EXPECT_EQ(Told({{available, "true"}}, shape), "");
  EXPECT_EQ(Told({{available, "false"}}, shape), "node(s) didn't have RDMA");
  EXPECT_EQ(Told({}, shape), "node(s) didn't have RDMA");
  shape.rdma = "yes";
  EXPECT_EQ(Told({{available, "true"}}, shape),
            "node(s) can't match annotation muster.dev/rdma: it says other than required");
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
