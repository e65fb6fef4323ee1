#include <gtest/gtest.h>

#include "scheduler/testing/plugin_bed.h"

namespace muster::scheduler {
namespace {

class NodeAffinity : public ::testing::Test {
 protected:
  NodeAffinity() : bed_("NodeAffinity") {
    NodeSeen node = testing::MakeNode("a", {});
    node.labels = {{"disk", "ssd"}, {"zone", "z1"}};
    bed_.Add(node);
    bed_.Add(testing::MakeNode("bare", {}));
  }
  bool Takes(const PodShape& shape, const std::string& node) {
    const Fit fit = bed_.Filter(shape, node);
    if (fit.pods == 0) {
      EXPECT_EQ(fit.reason, "node(s) didn't match Pod's node affinity/selector");
    }
    return fit.pods > 0;
  }
  testing::PluginBed bed_;
};

TEST_F(NodeAffinity, SelectorAndTermsMustBothHold) {
  PodShape shape;
  EXPECT_FALSE(bed_.Filters(shape));
  shape.node_selector = {{"disk", "ssd"}};
  EXPECT_TRUE(Takes(shape, "a"));
  EXPECT_FALSE(Takes(shape, "bare"));
  shape.has_required_affinity = true;
  shape.required_affinity = {{.labels = {{Requirement::Op::kIn, "zone", {"z2"}}}, .fields = {}}};
  EXPECT_FALSE(Takes(shape, "a"));
  // Terms are alternatives.
  shape.required_affinity.push_back(
      {.labels = {{Requirement::Op::kIn, "zone", {"z1", "z3"}}}, .fields = {}});
  EXPECT_TRUE(Takes(shape, "a"));
}

TEST_F(NodeAffinity, NoTermAndAnEmptyTermMatchNothing) {
  PodShape shape;
  shape.has_required_affinity = true;
  EXPECT_FALSE(Takes(shape, "a"));
  shape.required_affinity.push_back({});
  EXPECT_FALSE(Takes(shape, "a"));
}

TEST_F(NodeAffinity, FieldsNameTheNode) {
  PodShape shape;
  shape.has_required_affinity = true;
  shape.required_affinity = {
      {.labels = {}, .fields = {{Requirement::Op::kIn, "metadata.name", {"bare"}}}}};
  EXPECT_TRUE(Takes(shape, "bare"));
  EXPECT_FALSE(Takes(shape, "a"));
}

TEST_F(NodeAffinity, PreferredTermsAddUp) {
  PodShape shape;
  EXPECT_FALSE(bed_.Scores(shape));
  shape.preferred_affinity = {
      {.weight = 10, .term = {.labels = {{Requirement::Op::kIn, "zone", {"z1"}}}, .fields = {}}},
      {.weight = 3, .term = {.labels = {{Requirement::Op::kExists, "disk", {}}}, .fields = {}}},
      {.weight = 50, .term = {.labels = {{Requirement::Op::kIn, "zone", {"z2"}}}, .fields = {}}},
      {.weight = 99, .term = {}}};
  EXPECT_TRUE(bed_.Scores(shape));
  EXPECT_EQ(bed_.Score(shape, "a"), 13);
  EXPECT_EQ(bed_.Score(shape, "bare"), 0);
  EXPECT_TRUE(Takes(shape, "bare")) << "What is preferred keeps nobody out.";
}

}  // namespace
}  // namespace muster::scheduler
