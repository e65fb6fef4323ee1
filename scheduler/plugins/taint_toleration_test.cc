#include <gtest/gtest.h>

#include "scheduler/testing/plugin_bed.h"

namespace muster::scheduler {
namespace {

NodeSeen Tainted(const std::string& name, TaintEffect effect) {
  NodeSeen node = testing::MakeNode(name, {});
  node.taints.push_back({"pool", "ml", effect});
  return node;
}

PodShape Tolerating(const std::string& value) {
  PodShape shape;
  shape.tolerations.push_back({.key = "pool", .value = value, .any_effect = true});
  return shape;
}

TEST(TaintToleration, FiltersByHardTaints) {
  testing::PluginBed bed("TaintToleration");
  bed.Add(Tainted("hard", TaintEffect::kNoSchedule));
  bed.Add(Tainted("evicting", TaintEffect::kNoExecute));
  bed.Add(Tainted("soft", TaintEffect::kPreferNoSchedule));
  for (const char* node : {"hard", "evicting"}) {
    EXPECT_EQ(bed.Filter({}, node).reason, "node(s) had untolerated taint(s)") << node;
    EXPECT_EQ(bed.Filter(Tolerating("other"), node).pods, 0) << node;
    EXPECT_EQ(bed.Filter(Tolerating("ml"), node).pods, kAnyNumber) << node;
  }
  EXPECT_EQ(bed.Filter({}, "soft").pods, kAnyNumber);
}

TEST(TaintToleration, ScoresByTheSoftTaintsThatAreNotTolerated) {
  testing::PluginBed bed("TaintToleration");
  bed.Add(Tainted("soft", TaintEffect::kPreferNoSchedule));
  bed.Add(testing::MakeNode("clean", {}));
  EXPECT_EQ(bed.Score({}, "soft"), 1);
  EXPECT_EQ(bed.Score({}, "clean"), 0);
  EXPECT_EQ(bed.Score(Tolerating("ml"), "soft"), 0);
}

}  // namespace
}  // namespace muster::scheduler
