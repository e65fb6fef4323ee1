#include <gtest/gtest.h>

#include "scheduler/testing/plugin_bed.h"

namespace muster::scheduler {
namespace {

class BalancedAllocation : public ::testing::Test {
 protected:
  BalancedAllocation() {
    bed_.Add(testing::MakeNode("n", {{"cpu", "10"}, {"memory", "10Gi"}}));
    bed_.Add(testing::MakeNode("cpu-only", {{"cpu", "10"}}));
  }
  void Use(std::string_view cpu, std::string_view memory) {
    bed_.Add(testing::MakeForeign("f", "n", {{"cpu", cpu}, {"memory", memory}}));
  }
  std::int64_t Score(std::string_view cpu, std::string_view memory, const std::string& node = "n") {
    PodShape shape;
    shape.requests = testing::MakeAmounts({{"cpu", cpu}, {"memory", memory}});
    return bed_.Score(shape, node);
  }
  testing::PluginBed bed_{"NodeResourcesBalancedAllocation"};
};

TEST_F(BalancedAllocation, APodThatKeepsTheBalanceIsNeutral) {
  EXPECT_EQ(Score("2", "2Gi"), 75);
  Use("4", "4Gi");
  EXPECT_EQ(Score("3", "3Gi"), 75);
  EXPECT_EQ(Score("3", "3Gi", "cpu-only"), 75);
}

TEST_F(BalancedAllocation, OneThatRestoresItIsBetterAndOneThatUpsetsItWorse) {
  // Used to 60 % and 20 %: the balance is 80. With 4Gi more it is 100, with 4 cores more 60.
  Use("6", "2Gi");
  EXPECT_EQ(Score("0", "4Gi"), 85);
  EXPECT_EQ(Score("4", "0"), 65);
  // More than there is counts as all there is.
  EXPECT_EQ(Score("40", "8Gi"), 85);
}

TEST_F(BalancedAllocation, APodWithoutBothIsNoneOfItsBusiness) {
  PodShape shape;
  EXPECT_FALSE(bed_.Scores(shape));
  shape.requests = testing::MakeAmounts({{"nvidia.com/gpu", "8"}});
  EXPECT_FALSE(bed_.Scores(shape));
  shape.requests = testing::MakeAmounts({{"cpu", "1"}});
  EXPECT_TRUE(bed_.Scores(shape));
}

}  // namespace
}  // namespace muster::scheduler
