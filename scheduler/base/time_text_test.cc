#include "scheduler/base/time_text.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(TimeText, DropsWhatIsBelowASecond) {
  EXPECT_EQ(TimeText(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(TimeText(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(TimeText(1'788'220'800'999), "2026-09-01T00:00:00Z");
  EXPECT_EQ(TimeText(1'709'251'199'000), "2024-02-29T23:59:59Z");
}

}  // namespace
}  // namespace muster
