#include "e2e/suites/stand.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

// Tests run side by side: two of one name must not meet.
TEST(Stand, SharesNothingWithAnotherOfItsName) {
  const std::string cluster = "config/samples/2-two-gangs/cluster.yaml";
  auto first = Stand::Start("stand", cluster);
  ASSERT_TRUE(first.ok()) << first.error().message;
  const std::string of_first = first.value()->Write("file", "1");
  auto second = Stand::Start("stand", cluster);
  ASSERT_TRUE(second.ok()) << second.error().message;
  const std::string of_second = second.value()->Write("file", "2");
  EXPECT_NE(of_first, of_second);
  EXPECT_TRUE(std::filesystem::exists(of_first));
  second.value().reset();
  EXPECT_FALSE(std::filesystem::exists(of_second));
  EXPECT_TRUE(std::filesystem::exists(of_first));
}

}  // namespace
}  // namespace muster::e2e
