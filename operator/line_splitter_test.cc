#include "operator/line_splitter.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::app {
namespace {

const std::string kStream =
    "{\"type\":\"ADDED\",\"object\":{}}\n"
    "\n"
    "{\"type\":\"BOOKMARK\"}\r\n"
    "{\"type\":\"DELETED\",\"text\":\"a \\n b\"}\n";
const std::vector<std::string> kLines = {"{\"type\":\"ADDED\",\"object\":{}}",
                                         "{\"type\":\"BOOKMARK\"}",
                                         "{\"type\":\"DELETED\",\"text\":\"a \\n b\"}"};

std::vector<std::string> Split(const std::vector<std::string_view>& pieces) {
  LineSplitter splitter;
  std::vector<std::string> lines;
  for (const std::string_view piece : pieces) {
    EXPECT_TRUE(splitter.Add(piece, [&](std::string_view line) {
      lines.emplace_back(line);
      return true;
    }));
  }
  return lines;
}

TEST(LineSplitter, CutsTheSameLinesWhereverTheStreamIsCutInTwo) {
  const std::string_view stream = kStream;
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    EXPECT_EQ(Split({stream.substr(0, cut), stream.substr(cut)}), kLines) << cut;
  }
}

TEST(LineSplitter, CutsTheSameLinesFromPiecesOfAnySize) {
  const std::string_view stream = kStream;
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    std::vector<std::string_view> pieces;
    for (std::size_t at = 0; at < stream.size(); at += size) {
      pieces.push_back(stream.substr(at, size));
    }
    EXPECT_EQ(Split(pieces), kLines) << size;
  }
}

TEST(LineSplitter, ALineWithoutItsEndIsNotGiven) {
  EXPECT_EQ(Split({"{\"a\":1}\n{\"half\":"}), std::vector<std::string>{"{\"a\":1}"});
}

TEST(LineSplitter, ALineThatIsTooLongEndsTheStream) {
  const auto any = [](std::string_view) { return true; };
  EXPECT_TRUE(LineSplitter(8).Add("12345678\n12345678\n", any));
  EXPECT_FALSE(LineSplitter(8).Add("123456789\n", any));
  LineSplitter splitter(8);
  EXPECT_TRUE(splitter.Add("12345", any));
  EXPECT_FALSE(splitter.Add("6789", any));
}

TEST(LineSplitter, TheReceiverMayEndTheStream) {
  int lines = 0;
  EXPECT_FALSE(LineSplitter().Add("a\nb\nc\n", [&](std::string_view) { return ++lines < 2; }));
  EXPECT_EQ(lines, 2);
}

}  // namespace
}  // namespace muster::app
