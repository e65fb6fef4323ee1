#include "scheduler/base/hash_index.h"

#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/base/row_index.h"

namespace muster {
namespace {

TEST(HashIndex, FindsWhatWasInserted) {
  HashIndex<std::string, int> index;
  EXPECT_TRUE(index.Insert("a", 1));
  EXPECT_FALSE(index.Insert("a", 2));
  index["b"] = 3;
  ASSERT_NE(index.Find("a"), nullptr);
  EXPECT_EQ(*index.Find("a"), 1);
  EXPECT_EQ(*index.Find("b"), 3);
  EXPECT_TRUE(index.Erase("a"));
  EXPECT_FALSE(index.Erase("a"));
  EXPECT_EQ(index.Find("a"), nullptr);
  EXPECT_EQ(index.size(), 1U);
}

// Few distinct hashes, so that chains wrap and holes are filled.
RC_GTEST_PROP(RowIndex, EqualsAMapUnderAnyWrites, ()) {
  RowIndex index;
  std::map<std::uint32_t, std::uint64_t> model;  // Row to hash; the row is its own key.
  const int writes = *rc::gen::inRange(0, 200);
  for (int i = 0; i < writes; ++i) {
    const auto row = *rc::gen::inRange<std::uint32_t>(0, 60);
    const std::uint64_t hash = row % 7 == 0 ? 15 : row % 5 + (std::uint64_t{row % 3} << 32U);
    if (model.erase(row) != 0) {
      index.Erase(hash, row);
    } else {
      index.Insert(hash, row);
      model[row] = hash;
    }
    RC_ASSERT(index.size() == model.size());
  }
  for (std::uint32_t row = 0; row < 60; ++row) {
    const std::uint64_t hash = row % 7 == 0 ? 15 : row % 5 + (std::uint64_t{row % 3} << 32U);
    const auto found = index.Find(hash, [row](std::uint32_t other) { return other == row; });
    RC_ASSERT(found.has_value() == model.contains(row));
  }
}

}  // namespace
}  // namespace muster
