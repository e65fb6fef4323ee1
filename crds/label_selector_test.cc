#include "crds/label_selector.h"

#include <string>

#include <gtest/gtest.h>

namespace muster::crds {
namespace {

TEST(LabelSelector, KeysAndValues) {
  const std::string long_name(63, 'a');
  for (const std::string& key :
       {std::string("team"), std::string("A_b.c-9"), std::string("example.org/team"), long_name,
        "a-1.b/" + long_name, std::string("x/Y")}) {
    EXPECT_TRUE(IsLabelKey(key)) << key;
  }
  for (const std::string& key :
       {std::string(), std::string("-a"), std::string("a-"), std::string("a b"), long_name + "a",
        std::string("/a"), std::string("a/"), std::string("a/b/c"), std::string("Example.org/a"),
        std::string("a..b/c"), std::string("-a/b"), std::string("a-/b"),
        std::string(254, 'a') + "/b"}) {
    EXPECT_FALSE(IsLabelKey(key)) << key;
  }
  for (const std::string& value :
       {std::string(), std::string("a"), std::string("A.b_c-9"), long_name}) {
    EXPECT_TRUE(IsLabelValue(value)) << value;
  }
  for (const std::string& value :
       {std::string("a/b"), std::string(".a"), std::string("a_"), long_name + "a"}) {
    EXPECT_FALSE(IsLabelValue(value)) << value;
  }
}

TEST(LabelSelector, WhatCannotBeUsedIsNamed) {
  const struct {
    LabelSelector selector;
    const char* text;  // "" = it can.
  } cases[] = {
      {{}, ""},
      {{.match_labels = {{"team", "a"}, {"x/y", ""}},
        .match_expressions = {{"a", "In", {"b"}},
                              {"a", "Exists", {}},
                              {"a", "NotIn", {"", "c"}},
                              {"b", "DoesNotExist", {}}}},
       ""},
      {{.match_labels = {{"te am", "a"}}, .match_expressions = {}},
       "matchLabels[te am]: expected a label key"},
      {{.match_labels = {{"team", "a b"}}, .match_expressions = {}},
       "matchLabels[team]: expected a label value"},
      {{.match_labels = {}, .match_expressions = {{"a", "Exists", {}}, {"a", "In", {}}}},
       "matchExpressions[1].values: expected at least one with operator In"},
      {{.match_labels = {}, .match_expressions = {{"a", "DoesNotExist", {"b"}}}},
       "matchExpressions[0].values: expected none with operator DoesNotExist"},
      {{.match_labels = {}, .match_expressions = {{"a", "Gt", {"1"}}}},
       "matchExpressions[0].operator: expected In, NotIn, Exists or DoesNotExist"},
      {{.match_labels = {}, .match_expressions = {{"", "Exists", {}}}},
       "matchExpressions[0].key: expected a label key"},
      {{.match_labels = {}, .match_expressions = {{"a", "NotIn", {"b", "c/d"}}}},
       "matchExpressions[0].values[1]: expected a label value"},
  };
  for (const auto& c : cases) {
    const Result<void> result = CheckLabelSelector(c.selector);
    EXPECT_EQ(result.ok() ? "" : result.error().message, c.text);
  }
}

}  // namespace
}  // namespace muster::crds
