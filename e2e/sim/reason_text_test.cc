#include "e2e/sim/reason_text.h"

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

TEST(ReasonText, OfAGangThatFindsNoNodes) {
  const Numbers numbers = NumbersIn(
      "0/4 nodes are available: 1 node(s) were unschedulable, 3 Insufficient nvidia.com/gpu. Gang "
      "b: 0 of 2 members fit; short 16 nvidia.com/gpu; held by default/a (16), terminating pod "
      "default/b-0 (8), team/c (500m) and 2 more. Given up before: 1 of 2 members were bound "
      "within "
      "10 s");
  EXPECT_EQ(numbers, (Numbers{{"nodes", 4},
                              {"node(s) were unschedulable", 1},
                              {"Insufficient nvidia.com/gpu", 3},
                              {"fit", 0},
                              {"min", 2},
                              {"short nvidia.com/gpu", 16'000},
                              {"held default/a nvidia.com/gpu", 16'000},
                              {"held terminating pod default/b-0 nvidia.com/gpu", 8'000},
                              {"held team/c nvidia.com/gpu", 500}}));
}

TEST(ReasonText, OfAGangOfOne) {
  EXPECT_EQ(NumbersIn("0/2 nodes are available: 2 Insufficient cpu. Needs 2500m cpu on one node; "
                      "most free is -1 on node-b."),
            (Numbers{{"nodes", 2},
                     {"Insufficient cpu", 2},
                     {"needs cpu", 2'500},
                     {"most free cpu", -1'000},
                     {"free cpu on node-b", -1'000}}));
  EXPECT_EQ(NumbersIn("needs 16 nvidia.com/gpu on one node; the largest node has 8 (node-a)"),
            (Numbers{{"needs nvidia.com/gpu", 16'000}, {"largest nvidia.com/gpu", 8'000}}));
}

TEST(ReasonText, OfADomain) {
  EXPECT_EQ(NumbersIn("0/3 nodes are available: 3 node(s) were in a rack without room for the "
                      "gang. Gang b: 1 of 2 members fit; short 1 nvidia.com/gpu in rack r2; held "
                      "by other/notebook (1)."),
            (Numbers{{"nodes", 3},
                     {"node(s) were in a rack without room for the gang", 3},
                     {"fit", 1},
                     {"min", 2},
                     {"short nvidia.com/gpu", 1'000},
                     {"held other/notebook nvidia.com/gpu", 1'000}}));
  EXPECT_EQ(NumbersIn("0/2 nodes are available: 2 Insufficient cpu. Needs 2 cpu on one node in "
                      "rack r1; most free is 1 on node-b."),
            (Numbers{{"nodes", 2},
                     {"Insufficient cpu", 2},
                     {"needs cpu", 2'000},
                     {"most free cpu", 1'000},
                     {"free cpu on node-b", 1'000}}));
}

TEST(ReasonText, OfQuotaAndMembers) {
  EXPECT_EQ(NumbersIn("Queue q: uses 8 of 6 nominal, limit 12; the gang needs 4 nvidia.com/gpu "
                      "more."),
            (Numbers{{"used nvidia.com/gpu", 8'000},
                     {"nominal nvidia.com/gpu", 6'000},
                     {"limit nvidia.com/gpu", 12'000},
                     {"charge nvidia.com/gpu", 4'000}}));
  EXPECT_EQ(NumbersIn("1 of 2 members exist"), (Numbers{{"exist", 1}, {"min", 2}}));
  EXPECT_EQ(NumbersIn("a plugin does not like it"), Numbers{});
}

}  // namespace
}  // namespace muster::e2e
