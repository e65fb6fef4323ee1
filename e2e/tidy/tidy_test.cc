// Each house rule finds its planted fault, and the tree has none.
#include <gtest/gtest.h>

#include "e2e/tidy/rules.h"
#include "e2e/tidy/tree.h"

namespace muster::e2e {
namespace {

TEST(Rules, BannedWordsAreFoundInCodeOnly) {
  EXPECT_EQ(BannedWords("scheduler/solve/a.cc", "auto t = std::chrono::steady_clock::now();\n"),
            Violations{"scheduler/solve/a.cc:1: steady_clock: time is an argument (Now)"});
  EXPECT_EQ(BannedWords("controllers/a.cc", "int x = std::rand();\n").size(), 1U);
  EXPECT_EQ(BannedWords("controllers/a.cc", "std::unordered_map<int, int> m;\n").size(), 1U);
  EXPECT_EQ(BannedWords("scheduler/model/a.cc", "double share = 0.5;\n").size(), 1U);
  EXPECT_EQ(BannedWords("operator/app.cc", "std::mutex m;\n").size(), 1U);
  EXPECT_TRUE(BannedWords("operator/thread_loop.cc", "std::mutex m;\n").empty());
  EXPECT_TRUE(BannedWords("scheduler/solve/a.cc", "// A double is never compared.\n").empty());
  EXPECT_TRUE(BannedWords("scheduler/solve/a.cc", "Say(\"no double here\");\n").empty());
}

TEST(Rules, LongFilesAreFound) {
  const auto lines = [](int n) { return std::string(static_cast<std::size_t>(n), '\n'); };
  EXPECT_EQ(TooLong("crds/a.cc", lines(401)).size(), 1U);
  EXPECT_EQ(TooLong("crds/a.h", lines(301)).size(), 1U);
  EXPECT_EQ(TooLong("crds/a_test.cc", lines(601)).size(), 1U);
  EXPECT_TRUE(TooLong("crds/a.cc", lines(400)).empty());
}

TEST(Rules, MarksNeedTheirForm) {
  EXPECT_EQ(BadMarks("crds/a.cc", "// TODO: later\n").size(), 1U);
  EXPECT_EQ(BadMarks("crds/a.cc", "int a;  // NOLINT\n").size(), 1U);
  EXPECT_EQ(BadMarks("crds/a.cc", "int a;  // NOLINT(bugprone-x)\n").size(), 1U);
  EXPECT_TRUE(BadMarks("crds/a.cc", "// TODO(#12): say more.\n").empty());
  EXPECT_TRUE(BadMarks("crds/a.cc", "int a;  // NOLINT(bugprone-x): value type.\n").empty());
}

TEST(Rules, HeadersSayWhatTheyOwn) {
  EXPECT_EQ(BadHeader("crds/a.h", "#pragma once\n").size(), 2U);
  EXPECT_TRUE(BadHeader("crds/a.h", "// Owns a.\n#pragma once\n").empty());
}

TEST(Rules, DocumentsNameFilesThatExist) {
  EXPECT_EQ(MissingPaths("A.md", "see `scheduler/no_such_file.cc`\n").size(), 1U);
  EXPECT_TRUE(MissingPaths("A.md", "see `scheduler/base/check.h`\n").empty());
}

TEST(Rules, HoldInTheTree) {
  Violations found;
  const auto add = [&](const Violations& more) {
    found.insert(found.end(), more.begin(), more.end());
  };
  for (const SourceFile& file : SourceTree()) {
    add(BannedWords(file.path, file.text));
    add(TooLong(file.path, file.text));
    add(BadMarks(file.path, file.text));
    add(BadHeader(file.path, file.text));
    if (file.path.ends_with(".md")) add(MissingPaths(file.path, file.text));
  }
  EXPECT_EQ(found, Violations{});
}

}  // namespace
}  // namespace muster::e2e
