#include "operator/config.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace muster::app {
namespace {

std::string TreeRefusal(const std::string& yaml) {
  const Result<ConfigNode> root = ParseConfig(yaml, "f");
  return root.ok() ? "" : root.error().message;
}

TEST(Config, ATreeKnowsItsLines) {
  const Result<ConfigNode> root = ParseConfig("# c\na: 1\nb:\n  c: \"2\"\n  d:\n- x\n", "f");
  EXPECT_FALSE(root.ok());  // A list where a key has to be.
  const Result<ConfigNode> read =
      ParseConfig("# c\na: 1\nb:\n  c: \"2\"\n  d:\n  e: [x, {y: z}]\n", "f");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const auto& entries = read.value().entries;
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].key, "a");
  EXPECT_EQ(entries[0].line, 2);
  EXPECT_EQ(entries[0].value.text, "1");
  EXPECT_FALSE(entries[0].value.quoted);
  const auto& inner = entries[1].value.entries;
  ASSERT_EQ(inner.size(), 3U);
  EXPECT_EQ(inner[0].line, 4);
  EXPECT_TRUE(inner[0].value.quoted);
  EXPECT_EQ(inner[1].value.kind, ConfigNode::Kind::kNull);
  EXPECT_EQ(inner[2].line, 6);
  ASSERT_EQ(inner[2].value.entries.size(), 2U);
  EXPECT_EQ(inner[2].value.entries[0].value.text, "x");
  EXPECT_EQ(inner[2].value.entries[1].value.entries[0].key, "y");
}

TEST(Config, WhatAFileMayNotHaveIsOneLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "f: is empty"},
      {"# nothing\n\n", "f: is empty"},
      {"---\n", "f: is empty"},
      {"\n- a\n", "f:2: expected a map of keys"},
      {"text\n", "f:1: expected a map of keys"},
      {"a: 1\nb: 2\na: 3\n", "f:3: duplicate key \"a\": it is in line 1 too"},
      {"a:\n  b: 1\n  b: 2\n", "f:3: duplicate key \"b\": it is in line 2 too"},
      {"a: 1\n---\na: 2\n", "f:2: a second document: a configuration is one"},
      {"a: &x 1\nb: *x\n", "f:2: an alias: write the value itself"},
      {"a: !!str 1\n", "f:1: a tag: write the value itself"},
      {"a: !own {}\n", "f:1: a tag: write the value itself"},
      {"{a: 1}: 2\n", "f:1: a key has to be a name"},
      {"~: 2\n", "f:1: a key has to be a name"},
      {"a: " + std::string(20, '[') + std::string(20, ']') + "\n", "f:1: nested too deeply"},
  };
  for (const auto& [yaml, text] : cases) EXPECT_EQ(TreeRefusal(yaml), text) << yaml;
}

TEST(Config, WhatIsNoYamlIsToldWithItsLine) {
  for (const std::string yaml :
       {"a: 1\nb: {c\n", "a: 1\n\tb: 2\n", "a: 1\n- b\n", "a: 1\nb: \"\\\x01\"\n"}) {
    const std::string text = TreeRefusal(yaml);
    EXPECT_TRUE(text.starts_with("f:2: no YAML: ") || text.starts_with("f:3: no YAML: ")) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
  // However deep.
  EXPECT_NE(TreeRefusal("a: " + std::string(100'000, '[')), "");
}

}  // namespace
}  // namespace muster::app
