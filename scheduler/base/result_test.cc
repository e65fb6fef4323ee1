#include "scheduler/base/result.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Result<int> Half(int n) {
  if (n % 2 != 0) return Error{Code::kInvalidArgument, "n: expected an even number"};
  return n / 2;
}

Result<int> Quarter(int n) {
  MUSTER_ASSIGN(const int half, Half(n));
  return Half(half);
}

Result<void> Check(int n) {
  MUSTER_TRY(Quarter(n));
  return {};
}

TEST(Result, CarriesTheValueThroughTwoSteps) {
  ASSERT_TRUE(Quarter(12).ok());
  EXPECT_EQ(Quarter(12).value(), 3);
}

TEST(Result, TheFirstErrorEndsTheChain) {
  EXPECT_EQ(Quarter(6).error().message, "n: expected an even number");
  EXPECT_EQ(Check(5).error().code, Code::kInvalidArgument);
  EXPECT_TRUE(Check(8).ok());
}

TEST(ResultDeathTest, ReadingTheValueOfAnErrorStopsTheProcess) {
  EXPECT_DEATH((void)Half(3).value(), "CHECK failed");
}

}  // namespace
}  // namespace muster
