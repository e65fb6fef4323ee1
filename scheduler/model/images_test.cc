#include "scheduler/model/images.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/model/cluster.h"
#include "scheduler/testing/builders_cluster.h"

namespace muster::scheduler {
namespace {

using Images = std::vector<NodeImage>;
using Names = std::vector<std::string>;
using Spread = std::vector<std::pair<std::string, std::uint64_t>>;

std::vector<ImageTable::Holder> HoldersOf(ImageTable& table, const std::string& name) {
  const ImageSetId set = table.Acquire(Names{name});
  const auto holders = table.holders(table.images(set)[0]);
  std::vector<ImageTable::Holder> copy(holders.begin(), holders.end());
  table.Release(set);
  return copy;
}

TEST(ImageTable, CountsWhoHoldsAnImage) {
  ImageTable table;
  table.SetHeld(NodeId{4}, Images{{"a:1", 10}, {"b:1", 20}});
  table.SetHeld(NodeId{1}, Images{{"a:1", 11}});
  EXPECT_EQ(table.Spread(), (Spread{{"a:1", 2}, {"b:1", 1}}));
  EXPECT_EQ(HoldersOf(table, "a:1"),
            (std::vector<ImageTable::Holder>{{NodeId{1}, 11}, {NodeId{4}, 10}}));
  // One comes, one goes, one has another size.
  table.SetHeld(NodeId{4}, Images{{"A:1", 30}, {"b:1", 21}});
  EXPECT_EQ(table.Spread(), (Spread{{"A:1", 1}, {"a:1", 1}, {"b:1", 1}}));
  EXPECT_EQ(HoldersOf(table, "b:1"), (std::vector<ImageTable::Holder>{{NodeId{4}, 21}}));
  EXPECT_EQ(table.HeldBy(NodeId{4}), (Images{{"A:1", 30}, {"b:1", 21}}));
  EXPECT_EQ(table.HeldBy(NodeId{1'000}), Images());
  EXPECT_EQ(table.Audit(), "");
  table.SetHeld(NodeId{4}, {});
  table.SetHeld(NodeId{1}, {});
  table.SetHeld(NodeId{1'000}, {});
  EXPECT_EQ(table.Spread(), Spread());
  EXPECT_EQ(table.Audit(), "");
}

TEST(ImageTable, EqualSetsAreOne) {
  ImageTable table;
  EXPECT_EQ(table.Acquire({}), kNoImages);
  const ImageSetId set = table.Acquire(Names{"a:1", "b:1", "b:1"});
  EXPECT_EQ(table.Acquire(Names{"a:1", "b:1", "b:1"}), set);
  EXPECT_EQ(table.live(set), 2U);
  EXPECT_NE(table.Acquire(Names{"a:1", "b:1"}), set) << "A container more is another set.";
  EXPECT_EQ(table.NamesOf(set), (Names{"a:1", "b:1", "b:1"}));
  EXPECT_NE(table.version(set), 0U);
  EXPECT_EQ(table.version(kNoImages), 0U);
  EXPECT_EQ(table.Audit(), "");
}

// Thousands come and go, on nodes and in pods; what is left is as if they had never been.
TEST(ImageTable, RowsAreUsedAgain) {
  ImageTable table;
  table.SetHeld(NodeId{0}, Images{{"kept:1", 1}});
  for (std::uint32_t round = 0; round < 3; ++round) {
    Images images;
    std::vector<ImageSetId> sets;
    for (int i = 10'000; i < 15'000; ++i) {
      const std::string name = "i" + std::to_string(i) + ":" + std::to_string(round);
      images.push_back({name, i});
      sets.push_back(table.Acquire(Names{name, name}));
    }
    table.SetHeld(NodeId{1}, images);
    EXPECT_EQ(table.Spread().size(), 5'001U);
    EXPECT_EQ(table.sets(), 5'001U) << "Old rows are enough.";
    for (const ImageSetId set : sets) table.Release(set);
    EXPECT_EQ(table.Audit(), "");
    table.SetHeld(NodeId{1}, {});
    EXPECT_EQ(table.Audit(), "");
  }
  EXPECT_EQ(table.Spread(), (Spread{{"kept:1", 1}}));
}

// As the nodes and pods of a cluster change them.
TEST(ImageTable, FollowsNodesAndPods) {
  Cluster c;
  NodeSeen node = testing::MakeNode("n1", testing::Gpus("8"));
  node.images = {{"a:1", 10}};
  PodSeen pod = testing::MakeSingle("p", "q", testing::Gpus("1"));
  pod.images = {"a:1", "b:1"};
  testing::ApplyAll(c, node, pod);
  const PodId id = *c.FindPod(pod.uid);
  EXPECT_EQ(c.images().NamesOf(c.pod(id).images), pod.images);
  EXPECT_EQ(c.images().HeldBy(*c.FindNode("n1")), node.images);
  const Result<Cluster> copy = Cluster::FromSnapshot(c.Snapshot());
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(copy.value().Snapshot(), c.Snapshot());
  pod.images = {"c:1"};
  testing::ApplyAll(c, pod);
  EXPECT_EQ(c.images().NamesOf(c.pod(id).images), pod.images);
  testing::ApplyAll(c, PodGone{pod.uid}, NodeGone{"n1"});
  EXPECT_EQ(c.images().Spread(), Spread());
  EXPECT_EQ(c.Audit(), "");
  // The node comes back without them.
  testing::ApplyAll(c, testing::MakeNode("n1", testing::Gpus("8")));
  EXPECT_EQ(c.images().HeldBy(*c.FindNode("n1")), Images());
}

}  // namespace
}  // namespace muster::scheduler
