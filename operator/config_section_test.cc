#include "operator/config_section.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace muster::app {
namespace {

struct Values {
  std::string name = "n";
  bool flag = true;
  std::int32_t count = 1;
  std::int64_t wait_ms = 1;
  int choice = 0;
  std::vector<std::string> levels, names;
  scheduler::ArgMap arguments;
};
constexpr std::array<std::pair<std::string_view, int>, 2> kChoices = {{{"one", 1}, {"two", 2}}};

std::string NoZ(std::string_view text) {
  return text.find('z') == std::string_view::npos ? "" : "has a z";
}

// "" = read.
std::string ReadValues(const std::string& yaml, Values& values) {
  const Result<ConfigNode> root = ParseConfig(yaml, "f");
  if (!root.ok()) return root.error().message;
  ConfigReport report("f");
  ConfigSection::ReadAll(root.value(), report, [&](ConfigSection& in) {
    in.String("name", values.name, NoZ);
    in.Bool("flag", values.flag);
    in.Section("inner", [&](ConfigSection& inner) {
      inner.Integer("count", values.count, {1, 9});
      inner.DurationMs("wait", values.wait_ms, {1'000, 60'000});
      inner.Choice("choice", values.choice, kChoices);
      if (values.count > 5 && values.wait_ms > 5'000) inner.Refuse("both at once");
    });
    in.Each("levels", [&](ConfigSection& level) {
      values.levels.emplace_back();
      level.String("name", values.levels.back(), NoZ);
    });
    in.Strings("names", values.names, NoZ);
    in.Arguments("arguments", values.arguments, [](const scheduler::ArgMap& one) {
      return std::string(one.size() == 1 && one.contains("odd") ? "is odd" : "");
    });
  });
  const Result<void> result = report.result();
  return result.ok() ? "" : result.error().message;
}

std::string SectionRefusal(const std::string& yaml) {
  Values values;
  return ReadValues(yaml, values);
}

TEST(ConfigSection, ReadsWhatIsThereAndKeepsTheRest) {
  Values values;
  EXPECT_EQ(ReadValues("flag: false\ninner: {count: 5, wait: 1m, choice: two}\n"
                       "levels: [{name: a}, {name: b}]\n",
                       values),
            "");
  EXPECT_EQ(values.name, "n");
  EXPECT_FALSE(values.flag);
  EXPECT_EQ(values.count, 5);
  EXPECT_EQ(values.wait_ms, 60'000);
  EXPECT_EQ(values.choice, 2);
  EXPECT_EQ(values.levels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(
      ReadValues("names: [c, '7']\narguments: {a: true, b: 'true', c: -7, d: '7', e: x}\n", values),
      "");
  EXPECT_EQ(values.names, (std::vector<std::string>{"c", "7"}));
  EXPECT_EQ(values.arguments, (scheduler::ArgMap{{"a", true},
                                                 {"b", std::string("true")},
                                                 {"c", std::int64_t{-7}},
                                                 {"d", std::string("7")},
                                                 {"e", std::string("x")}}));
  EXPECT_EQ(ReadValues("names: []\n", values), "");
  EXPECT_TRUE(values.names.empty());
  EXPECT_EQ(ReadValues("name: \"5\"\ninner:\n", values), "");  // All of it commented out.
  EXPECT_EQ(values.name, "5");
}

TEST(ConfigSection, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"nme: a\n", "f:1: unknown key \"nme\"; did you mean \"name\"?"},
      {"\ninner:\n  coutn: 2\n", "f:3: unknown key \"inner.coutn\"; did you mean \"count\"?"},
      {"inner: {zzz: 1}\n", "f:1: unknown key \"inner.zzz\"; known here: count, wait, choice"},
      {"\"a\\nb\": 1\n",
       "f:1: unknown key \"a\\nb\"; known here: name, flag, inner, levels, names, arguments"},
      {"names: a\n", "f:1: names: expected a list of strings, not \"a\""},
      {"names: {a: b}\n", "f:1: names: expected a list of strings, not a map"},
      {"names:\n- a\n- 3\n", "f:3: names[1]: expected a string, not 3: write it in quotes"},
      {"names:\n- a\n- z\n", "f:3: names[1]: has a z"},
      {"names:\n- a\n- b\n- a\n", "f:4: names[2]: \"a\" is there twice"},
      {"arguments: [a]\n", "f:1: arguments: expected a map, not a list"},
      {"arguments:\n  a: [b]\n",
       "f:2: arguments.a: expected true, false, a whole number or a string, not a list"},
      {"arguments:\n  a: 1\n  odd: 1\n", "f:3: arguments: is odd"},
      {"name: zebra\n", "f:1: name: has a z"},
      {"name: 5\n", "f:1: name: expected a string, not 5: write it in quotes"},
      {"name: -1e3\n", "f:1: name: expected a string, not -1e3: write it in quotes"},
      {"name: true\n", "f:1: name: expected a string, not true: write it in quotes"},
      {"name:\n", "f:1: name: expected a string, not nothing"},
      {"name: [a]\n", "f:1: name: expected a string, not a list"},
      {"flag: yes\n", "f:1: flag: expected true or false, not \"yes\""},
      {"flag: 'true'\n", "f:1: flag: expected true or false, not the string \"true\""},
      {"flag: {}\n", "f:1: flag: expected true or false, not a map"},
      {"inner: 3\n", "f:1: inner: expected a map, not \"3\""},
      {"inner: {count: 0}\n", "f:1: inner.count: expected a whole number from 1 to 9, not \"0\""},
      {"inner: {count: 99999999999999999999}\n",
       "f:1: inner.count: expected a whole number from 1 to 9, not \"99999999999999999999\""},
      {"inner: {count: 2.0}\n",
       "f:1: inner.count: expected a whole number from 1 to 9, not \"2.0\""},
      {"inner: {count: '2'}\n",
       "f:1: inner.count: expected a whole number from 1 to 9, not the string \"2\""},
      {"inner: {wait: 15}\n", "f:1: inner.wait: \"15\" is no duration such as 15s, 500ms or 1m30s"},
      {"inner: {wait: 999ms}\n", "f:1: inner.wait: \"999ms\" is out of range: from 1s to 1m"},
      {"inner: {wait: [1s]}\n",
       "f:1: inner.wait: expected a duration such as 15s, 500ms or 1m30s, not a list"},
      {"inner: {choice: three}\n", "f:1: inner.choice: expected one or two, not \"three\""},
      {"inner: {choice: }\n", "f:1: inner.choice: expected one or two, not nothing"},
      {"levels: a\n", "f:1: levels: expected a list of maps, not \"a\""},
      {"levels:\n- name: a\n- 3\n", "f:3: levels[1]: expected a map, not \"3\""},
      {"levels:\n- name: a\n- nam: b\n",
       "f:3: unknown key \"levels[1].nam\"; did you mean \"name\"?"},
      {"name: " + std::string(100, 'z') + "\nflag: " + std::string(100, 'x') + "\n",
       "f:1: name: has a z"},
      {"flag: " + std::string(100, 'x') + "\n",
       "f:1: flag: expected true or false, not \"" + std::string(64, 'x') + "\"..."},
  };
  for (const auto& [yaml, text] : cases) EXPECT_EQ(SectionRefusal(yaml), text) << yaml;
}

// However the sections lie in the file; what several keys say together comes last.
TEST(ConfigSection, TheErrorOfTheFirstLineIsTold) {
  EXPECT_EQ(SectionRefusal("inner: {count: 0}\nflag: 3\nnam: x\n"),
            "f:1: inner.count: expected a whole number from 1 to 9, not \"0\"");
  EXPECT_EQ(SectionRefusal("unknown-key: 1\ninner: {count: 0}\n"),
            "f:1: unknown key \"unknown-key\"; known here: name, flag, inner, levels, names, "
            "arguments");
  EXPECT_EQ(SectionRefusal("flag: true\ninner:\n  count: 6\n  wait: 6s\n"),
            "f:2: inner: both at once");
  EXPECT_EQ(SectionRefusal("inner:\n  count: 6\n  wait: 6s\nflag: 3\n"),
            "f:4: flag: expected true or false, not \"3\"");
  EXPECT_EQ(SectionRefusal("inner:\n  count: 6\n  wait: 6s\n  chioce: one\n"),
            "f:4: unknown key \"inner.chioce\"; did you mean \"choice\"?");
}

}  // namespace
}  // namespace muster::app
