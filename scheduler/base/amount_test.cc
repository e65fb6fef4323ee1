#include "scheduler/base/amount.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Amount, ClipsToItsRange) {
  EXPECT_EQ(ClipAmount(-1), 0);
  EXPECT_EQ(ClipAmount(7), 7);
  EXPECT_EQ(ClipAmount(kAmountMax), (std::int64_t{1} << 56U) - 1);
  EXPECT_EQ(ClipAmount(std::numeric_limits<std::int64_t>::max()), kAmountMax);
}

TEST(Amount, ProductsOfAHundredThousandDoNotOverflow) {
  EXPECT_TRUE(WideProduct(100'000, kAmountMax) > std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Saturate(WideProduct(100'000, kAmountMax)), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Saturate(WideProduct(-100'000, kAmountMax)), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Saturate(WideProduct(512, 8'000)), 4'096'000);
}

TEST(Amount, TimesInCountsWholeOnes) {
  EXPECT_EQ(TimesIn(17, 8, 100), 2);
  EXPECT_EQ(TimesIn(7, 8, 100), 0);
  EXPECT_EQ(TimesIn(-17, 8, 100), 0);
  EXPECT_EQ(TimesIn(1'000, 1, 100), 100);
  EXPECT_EQ(TimesIn(-1, 0, 100), 100);
}

TEST(Amount, SumsOf128ClippedAmountsFit) {
  std::int64_t sum = 0;
  for (int i = 0; i < 127; ++i) sum = CheckedAdd(sum, kAmountMax);
  for (int i = 0; i < 127; ++i) sum = CheckedAdd(sum, -kAmountMax);
  EXPECT_EQ(sum, 0);
}

}  // namespace
}  // namespace muster
