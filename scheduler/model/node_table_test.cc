#include "scheduler/model/node_table.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster::scheduler {
namespace {

void ExpectInOrder(const NodeTable& table, const std::set<std::string>& names) {
  RC_ASSERT(table.by_name().size() == names.size());
  auto name = names.begin();
  std::uint64_t label = 0;
  for (const NodeId id : table.by_name()) {
    RC_ASSERT(table.row(id).name == *name++);
    RC_ASSERT(table.order(id) > label);
    RC_ASSERT(table.order(id) < (std::uint64_t{1} << 40U));
    label = table.order(id);
  }
}

RC_GTEST_PROP(NodeTable, OrderLabelsCompareAsTheNamesDo, ()) {
  NodeTable table;
  std::set<std::string> names;
  const auto numbers = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 60));
  for (const int number : numbers) {
    const std::string name = "n" + std::to_string(number);
    const NodeId id = table.Intern(name);
    if (names.insert(name).second) {
      table.Join(id);
    } else {
      names.erase(name);
      table.Leave(id);
      table.Drop(id);
    }
    if (number % 7 == 0) table.Recycle();
  }
  ExpectInOrder(table, names);
}

// Names that always fall between the same two use the room between their labels up.
TEST(NodeTable, RelabelsWhenThereIsNoRoomBetweenNeighbours) {
  NodeTable table;
  table.Join(table.Intern("a"));
  table.Join(table.Intern("z"));
  std::string name = "b";
  for (int i = 0; i < 100; ++i) {
    table.Join(table.Intern(name));
    name.insert(0, "a");
  }
  EXPECT_GT(table.order_epoch(), 0U);
  std::uint64_t label = 0;
  for (const NodeId id : table.by_name()) {
    EXPECT_GT(table.order(id), label);
    label = table.order(id);
  }
  EXPECT_EQ(table.by_name().size(), 102U);
}

TEST(NodeTable, AListInOrderNeedsNoRelabelling) {
  NodeTable table;
  for (int i = 100'000; i < 150'000; ++i) table.Join(table.Intern("node-" + std::to_string(i)));
  EXPECT_EQ(table.order_epoch(), 0U);
}

TEST(NodeTable, ADroppedRowIsGivenOutAgainOnlyOnceRecycled) {
  NodeTable table;
  const NodeId ghost = table.Intern("ghost");
  table.Drop(ghost);
  EXPECT_NE(table.Intern("other"), ghost);
  EXPECT_EQ(table.Intern("ghost"), ghost) << "Named again, it is kept.";
  table.Recycle();
  EXPECT_EQ(table.Find("ghost"), ghost);
  table.Drop(ghost);
  table.Recycle();
  EXPECT_EQ(table.Find("ghost"), std::nullopt);
  EXPECT_EQ(table.Intern("third"), ghost);
}

}  // namespace
}  // namespace muster::scheduler
