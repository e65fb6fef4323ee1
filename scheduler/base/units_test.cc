#include "scheduler/base/units.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Units, AreKnownByTheName) {
  for (const char* name : {"cpu", "nvidia.com/gpu", "example.org/fpga", "requests.nvidia.com/gpu",
                           "rdma/hca", "kubernetes.io.example.org/x"}) {
    EXPECT_EQ(UnitOf(name), Unit::kMilli) << name;
  }
  for (const char* name : {"memory", "storage", "ephemeral-storage", "hugepages-2Mi", "pods",
                           "kubernetes.io/batch-cpu", "scheduling.kubernetes.io/foo"}) {
    EXPECT_EQ(UnitOf(name), Unit::kWhole) << name;
  }
}

TEST(Units, AmountsReadAsUsersWriteThem) {
  const struct {
    const char* resource;
    std::int64_t amount;
    const char* text;
  } cases[] = {
      {"cpu", 500, "500m"},
      {"cpu", 1500, "1500m"},
      {"cpu", 2000, "2"},
      {"nvidia.com/gpu", 32'000, "32"},
      {"nvidia.com/gpu", 1'000'000, "1000"},
      {"nvidia.com/gpu", -8000, "-8"},
      {"nvidia.com/gpu", 0, "0"},
      {"memory", 0, "0"},
      {"memory", 1023, "1023"},
      {"memory", 1024, "1Ki"},
      {"memory", 1'073'741'824, "1Gi"},
      {"memory", 1'610'612'736, "1536Mi"},
      {"hugepages-2Mi", 4'194'304, "4Mi"},
      {"memory", std::int64_t{1} << 55, "32Pi"},
      {"pods", 2048, "2048"},
  };
  for (const auto& c : cases) EXPECT_EQ(FormatAmount(c.resource, c.amount), c.text);
}

}  // namespace
}  // namespace muster
