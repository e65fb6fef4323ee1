#include "scheduler/base/max_tree.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster {
namespace {

// Keys of rows are distinct, but for 0.
RC_GTEST_PROP(MaxTree, EqualsAScanAfterAnyWrites, ()) {
  std::vector<std::uint64_t> keys;
  MaxTree tree;
  const int writes = *rc::gen::inRange(0, 60);
  for (int i = 0; i < writes; ++i) {
    if (keys.empty() || *rc::gen::inRange(0, 5) == 0) {
      keys.resize(keys.size() + *rc::gen::inRange<std::size_t>(1, 9), 0);
      tree.Resize(keys.size());
    } else {
      const auto row = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(keys.size()));
      keys[row] = *rc::gen::inRange<std::uint64_t>(0, 8) * 1000;
      if (keys[row] != 0) keys[row] += row;
      tree.Set(row, keys[row]);
      RC_ASSERT(tree.Get(row) == keys[row]);
    }
    const auto best = std::max_element(keys.begin(), keys.end());
    if (*best == 0) {
      RC_ASSERT(!tree.Best());
    } else {
      RC_ASSERT(tree.Best() == static_cast<std::uint32_t>(best - keys.begin()));
    }
  }
}

TEST(MaxTree, AnEmptyOneHasNoBest) {
  const MaxTree tree;
  EXPECT_FALSE(tree.Best().has_value());
  EXPECT_EQ(tree.Get(7), 0U);
}

TEST(MaxTreeDeathTest, ARowPastTheEndIsOurMistake) {
  MaxTree tree;
  tree.Resize(4);
  EXPECT_DEATH(tree.Set(4, 1), "CHECK failed");
}

}  // namespace
}  // namespace muster
