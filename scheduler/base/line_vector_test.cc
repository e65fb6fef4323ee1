#include "scheduler/base/line_vector.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(LineVector, BeginsAtACacheLineHoweverItGrows) {
  LineVector<std::int64_t> cells;
  for (std::int64_t i = 0; i < 5'000; ++i) {
    cells.push_back(i);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(cells.data()) % kCacheLine, 0U) << i;
  }
  EXPECT_EQ(cells[4'999], 4'999);
}

}  // namespace
}  // namespace muster
