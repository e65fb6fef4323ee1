#include "e2e/suites/mask.h"

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

TEST(Mask, HidesWhatDiffersOnEveryRun) {
  EXPECT_EQ(Mask("a   2s    b\nc   12s   b\nd   1m2s\n"), "a   <age> b\nc   <age> b\nd   <age>\n");
  EXPECT_EQ(Mask("a   2s    12s   b\nc   3s   1m2s\n"), "a   <age> <age> b\nc   <age> <age>\n");
  EXPECT_EQ(Mask("at 2026-09-01T00:00:00Z"), "at <time>");
  EXPECT_EQ(Mask("8f14e45f-ceea-467f-a7d2-100000000000 on 127.0.0.1:18080"),
            "<uid> on 127.0.0.1:<port>");
  EXPECT_EQ(Mask("after 12 ms (54 us), 3.2 s"), "after <n> ms (<n> us), <n> s");
  EXPECT_EQ(Mask("PodScheduled   False \n"), "PodScheduled   False\n");
}

TEST(Difference, ComparesToTheCharacter) {
  EXPECT_EQ(Difference("a  1\nb 2s\n", "a  1\nb 31s\n"), "");
  EXPECT_NE(Difference("a  1\n", "a 1\n"), "");
  EXPECT_NE(Difference("a\n", "a\nb\n"), "");
  EXPECT_NE(Difference("a\nb\n", "a\n"), "");
  EXPECT_NE(Difference("a\n", ""), "");
}

TEST(Difference, SkipsLinesWhereToldTo) {
  EXPECT_EQ(Difference("a\n ...\nd\n", "a\nb\nc\nd\n"), "");
  EXPECT_EQ(Difference("a\n ...\n", "a\nb\nc\n"), "");
  EXPECT_NE(Difference("a\n ...\nd\n", "a\nb\nc\n"), "");
}

}  // namespace
}  // namespace muster::e2e
