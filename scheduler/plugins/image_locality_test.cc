#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/testing/plugin_bed.h"

namespace muster::scheduler {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20U;
constexpr std::int64_t kHuge = (std::int64_t{1} << 56U) - 1;

class ImageLocality : public ::testing::Test {
 protected:
  using Images = std::vector<std::string>;
  void Node(const std::string& name, std::vector<NodeImage> images) {
    NodeSeen node = testing::MakeNode(name, {});
    node.images = std::move(images);
    std::ranges::sort(node.images);
    bed_.Add(node);
  }
  std::int64_t Score(const Images& images, const std::string& node) {
    return bed_.ScoreImages(images, node);
  }
  testing::PluginBed bed_{"ImageLocality"};
};

TEST_F(ImageLocality, APodWhoseImagesNobodyHoldsIsNoneOfItsBusiness) {
  Node("a", {{"train:1", 500 * kMiB}});
  EXPECT_FALSE(bed_.ScoresImages(Images{}));
  EXPECT_FALSE(bed_.ScoresImages(Images{"train", "train:2"}));
  EXPECT_TRUE(bed_.ScoresImages(Images{"other:1", "train:1"}));
  bed_.Add(NodeGone{"a"});
  EXPECT_FALSE(bed_.ScoresImages(Images{"train:1"}));
}

// Each image counts by the part of the nodes that hold it: 100 * (size / 2 - 23) / 977.
TEST_F(ImageLocality, TheLargerImageScoresMore) {
  Node("a", {{"large:1", 400 * kMiB}, {"small:1", 100 * kMiB}});
  Node("b", {{"middle:1", 200 * kMiB}});
  EXPECT_EQ(Score({"large:1"}, "a"), 18);
  EXPECT_EQ(Score({"small:1"}, "a"), 2);
  EXPECT_EQ(Score({"middle:1"}, "b"), 7);
  EXPECT_EQ(Score({"middle:1"}, "a"), 0);
  // Of two containers the sum of both, by twice what one takes at most: 100 * (250 - 23) / 1977.
  EXPECT_EQ(Score({"large:1", "small:1"}, "a"), 11);
  EXPECT_EQ(Score({"large:1", "middle:1"}, "a"), 8);
  EXPECT_EQ(Score({"large:1", "middle:1"}, "b"), 3);
  // An image of two containers counts twice, and one that nobody holds makes them two as well.
  EXPECT_EQ(Score({"large:1", "large:1"}, "a"), 19);
  EXPECT_EQ(Score({"large:1", "nobody:1"}, "a"), 8);
}

TEST_F(ImageLocality, ItLiesBetweenTheThresholds) {
  Node("a", {{"at-least:1", 46 * kMiB},
             {"at-most:1", 2'000 * kMiB},
             {"half:1", 1'023 * kMiB},
             {"huge:1", kHuge},
             {"less:1", 46 * kMiB - 2},
             {"none:1", 0}});
  Node("b", {});
  EXPECT_EQ(Score({"none:1"}, "a"), 0);
  EXPECT_EQ(Score({"less:1"}, "a"), 0);
  EXPECT_EQ(Score({"at-least:1"}, "a"), 0);
  EXPECT_EQ(Score({"half:1"}, "a"), 50);
  EXPECT_EQ(Score({"at-most:1"}, "a"), 100);
  EXPECT_EQ(Score({"huge:1"}, "a"), 100);
  // As many as would not fit the sum.
  EXPECT_EQ(Score(Images(1'000, "huge:1"), "a"), 100);
  EXPECT_EQ(Score({"huge:1", "none:1"}, "a"), 100) << "All of it counts, not one container's part.";
}

TEST_F(ImageLocality, AnImageOfManyNodesDrawsMore) {
  Node("a", {{"train:1", 500 * kMiB}});
  for (const char* name : {"b", "c", "d"}) Node(name, {});
  EXPECT_EQ(Score({"train:1"}, "a"), 10);
  Node("b", {{"train:1", 1'000 * kMiB}});
  EXPECT_EQ(Score({"train:1"}, "a"), 23);
  EXPECT_EQ(Score({"train:1"}, "b"), 48) << "As large as the node itself says.";
  bed_.Add(NodeGone{"c"});
  bed_.Add(NodeGone{"d"});
  EXPECT_EQ(Score({"train:1"}, "a"), 48);
  Node("a", {});
  EXPECT_EQ(Score({"train:1"}, "a"), 0);
  EXPECT_EQ(Score({"train:1"}, "b"), 48);
}

TEST_F(ImageLocality, ItIsTheNameThatCounts) {
  Node("a", {{"train@sha256:00", 500 * kMiB}, {"train:latest", 500 * kMiB}});
  EXPECT_EQ(Score({"train@sha256:00"}, "a"), 48);
  EXPECT_EQ(Score({"train:latest"}, "a"), 48);
  EXPECT_EQ(Score({"train@sha256:01"}, "a"), 0);
  EXPECT_EQ(Score({"docker.io/library/train:latest"}, "a"), 0);
}

}  // namespace
}  // namespace muster::scheduler
