#include "e2e/apiserver/cel.h"

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

TEST(CelRule, JudgesTheRulesOfOurKinds) {
  struct Case {
    const char* rule;
    const char* self;
    const char* old;
    std::optional<bool> result;
  };
  constexpr const char* kFixed =
      "!has(oldSelf.status) || !has(oldSelf.status.admission) || (has(self.spec.queue) == "
      "has(oldSelf.spec.queue) && (!has(self.spec.queue) || self.spec.queue == "
      "oldSelf.spec.queue))";
  const std::vector<Case> cases = {
      {"size(self.name) <= 3", R"({"name":"abc"})", "{}", true},
      {"size(self.name) <= 3", R"({"name":"abcd"})", "{}", false},
      {"size(self.name) == 2", R"({"name":"\u00e4\u00f6"})", "{}", true},
      {"size(self.items) > 1", R"({"items":[1,2]})", "{}", true},
      {"self.name != 'cluster'", R"({"name":"cluster"})", "{}", false},
      {"!has(self.a) || self.a", "{}", "{}", true},
      {"has(self.a.b)", "{}", "{}", std::nullopt},
      {"has(self.a.b)", R"({"a":{}})", "{}", false},
      {"self.a == 1 || self.b == 1", R"({"b":1})", "{}", true},
      {"self.a == 1 && self.b == 1", R"({"b":2})", "{}", false},
      {"self.a == 1 && self.b == 1", R"({"b":1})", "{}", std::nullopt},
      {"!(self.a < self.b) && self.a >= self.b", R"({"a":2,"b":1})", "{}", true},
      {"self.a > 'x'", R"({"a":"y"})", "{}", true},
      {"self.a < 'x'", R"({"a":1})", "{}", std::nullopt},
      {"self.a", R"({"a":1})", "{}", std::nullopt},
      {"self.a == null", R"({"a":null})", "{}", true},
      {"true && !false", "{}", "{}", true},
      {"self.a || self.b && self.c", R"({"a":true,"b":false,"c":false})", "{}", true},
      {kFixed, R"({"spec":{"queue":"b"}})", R"({"spec":{"queue":"a"}})", true},
      {kFixed, R"({"spec":{"queue":"b"}})", R"({"spec":{"queue":"a"},"status":{}})", true},
      {kFixed, R"({"spec":{"queue":"b"}})", R"({"spec":{"queue":"a"},"status":{"admission":{}}})",
       false},
      {kFixed, R"({"spec":{}})", R"({"spec":{"queue":"a"},"status":{"admission":{}}})", false},
      {kFixed, R"({"spec":{}})", R"({"spec":{},"status":{"admission":{}}})", true}};
  for (const Case& one : cases) {
    const auto rule = CelRule::Parse(one.rule);
    ASSERT_TRUE(rule.ok()) << one.rule << ": " << rule.error().message;
    const Json old = Json::parse(one.old);
    EXPECT_EQ(rule.value().Evaluate(Json::parse(one.self), &old), one.result)
        << one.rule << " of " << one.self << " after " << one.old;
  }
  EXPECT_TRUE(CelRule::Parse(kFixed).value().uses_old_self());
  EXPECT_FALSE(CelRule::Parse("has(self.a)").value().uses_old_self());
}

TEST(CelRule, RefusesWhatItDoesNotKnow) {
  for (const char* rule :
       {"", "self.items.all(i, i > 0)", "self.a + 1 == 2", "self.a in [1]", "has(self)",
        "other.a == 1", "self.a ==", "(self.a", "self.a)", "self.a ? 1 : 2", "'open", "size self.a",
        "self.?a == 1", "self.a self.b", "1x == 1", "self.a[0] == 1", "has(self.a, self.b)"}) {
    EXPECT_FALSE(CelRule::Parse(rule).ok()) << rule;
  }
}

}  // namespace
}  // namespace muster::e2e
