#include "scheduler/model/columns.h"

#include <gtest/gtest.h>

namespace muster::scheduler {
namespace {

TEST(Columns, WideningKeepsEveryCell) {
  Columns c;
  c.Widen(2);
  c.Grow(Column::kNodeUsed, 6);
  for (std::uint32_t i = 0; i < 6; ++i) c.Set({Column::kNodeUsed, i}, i + 1);
  c.Widen(5);
  for (std::uint32_t node = 0; node < 3; ++node) {
    const auto row = c.Row(Column::kNodeUsed, std::size_t{node} * 5, 5);
    EXPECT_EQ(row[0], node * 2 + 1);
    EXPECT_EQ(row[1], node * 2 + 2);
    EXPECT_EQ(row[2], 0);
  }
}

TEST(Columns, ListsThePodsOfANode) {
  Columns c;
  c.Grow(Column::kPodNode, 3);
  for (const std::uint32_t pod : {2U, 0U, 1U}) c.Set({Column::kPodNode, pod}, 7 + 1);
  EXPECT_EQ(c.PodsOn(NodeId{7}).size(), 3U);
  EXPECT_EQ(c.PodsOn(NodeId{7})[0], PodId{0});
  c.Set({Column::kPodNode, 1}, 0);
  c.Set({Column::kPodNode, 0}, 3 + 1);
  ASSERT_EQ(c.PodsOn(NodeId{7}).size(), 1U);
  EXPECT_EQ(c.PodsOn(NodeId{7})[0], PodId{2});
  EXPECT_TRUE(c.PodsOn(NodeId{1000}).empty());
}

TEST(Columns, TheLogTellsAChangedObjectFromChangedUse) {
  Columns c;
  c.Widen(2);
  c.Grow(Column::kNodeUsed, 6);
  c.Touch(NodeId{1});
  c.Set({Column::kNodeUsed, 5}, 7);
  const auto changes = c.ChangedSince(0);
  ASSERT_TRUE(changes.has_value());
  ASSERT_EQ(changes->size(), 2U);
  EXPECT_EQ((*changes)[0], (Columns::Change{.node = NodeId{1}, .object = true}));
  EXPECT_EQ((*changes)[1], (Columns::Change{.node = NodeId{2}, .object = false}));
}

TEST(Columns, AReaderThatLagsTooFarRebuilds) {
  Columns c;
  c.Touch(NodeId{1});
  const std::uint64_t early = c.change_seq();
  c.Touch(NodeId{2});
  ASSERT_TRUE(c.ChangedSince(early).has_value());
  EXPECT_EQ(c.ChangedSince(early)->size(), 1U);
  EXPECT_EQ((*c.ChangedSince(early))[0].node, NodeId{2});
  for (int i = 0; i < 300'000; ++i) c.Touch(NodeId{3});
  EXPECT_EQ(c.ChangedSince(early), std::nullopt);
  const std::uint64_t late = c.change_seq();
  EXPECT_TRUE(c.ChangedSince(late)->empty());
  c.Touch(NodeId{4});
  EXPECT_EQ((*c.ChangedSince(late))[0].node, NodeId{4});
}

}  // namespace
}  // namespace muster::scheduler
