#include "scheduler/base/max_tree.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster {
namespace {

std::optional<std::uint32_t> SlowMax(const std::vector<std::uint64_t>& keys) {
  const auto it = std::max_element(keys.begin(), keys.end());
  if (it == keys.end() || *it == 0) return std::nullopt;
  return static_cast<std::uint32_t>(it - keys.begin());
}

RC_GTEST_PROP(MaxTree, EqualsAScanAfterAnyWrites, ()) {
  auto keys = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange(0, 8));
  MaxTree tree;
  tree.Assign(keys);
  RC_ASSERT(tree.Max() == SlowMax(keys));
  const int writes = *rc::gen::inRange(0, 30);
  for (int i = 0; i < writes; ++i) {
    if (keys.empty() || *rc::gen::inRange(0, 5) == 0) {
      keys.resize(*rc::gen::inRange<std::size_t>(0, 40), 0);
      tree.Resize(keys.size());
    } else {
      const auto id = *rc::gen::inRange<std::size_t>(0, keys.size());
      keys[id] = *rc::gen::inRange<std::uint64_t>(0, 8);
      tree.Set(id, keys[id]);
      RC_ASSERT(tree.Get(id) == keys[id]);
    }
    RC_ASSERT(tree.Max() == SlowMax(keys));
  }
}

TEST(MaxTree, AnEmptyOneHasNoMax) {
  const MaxTree tree;
  EXPECT_EQ(tree.Max(), std::nullopt);
  EXPECT_EQ(tree.MaxKey(), 0U);
}

TEST(MaxTreeDeathTest, AnIdPastTheEndIsOurMistake) {
  MaxTree tree;
  tree.Resize(3);
  EXPECT_DEATH(tree.Set(3, 1), "CHECK failed");
}

}  // namespace
}  // namespace muster
