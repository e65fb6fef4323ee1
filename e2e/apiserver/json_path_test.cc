#include "e2e/apiserver/json_path.h"

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

TEST(JsonPath, FindsWhatColumnsShow) {
  const Json object = Json::parse(R"({"a":{"b":[{"type":"X","v":1},{"type":"Active","v":2}]}})");
  struct Case {
    const char* path;
    const char* value;
  };
  for (const Case& one : std::vector<Case>{{".a.b[0].v", "1"},
                                           {".a.b[?(@.type==\"Active\")].v", "2"},
                                           {".a.b[?(@.type=='Active')].v", "2"},
                                           {".a.b[?(@.type=='None')].v", "nothing"},
                                           {".a.b[7].v", "nothing"},
                                           {".a.x.v", "nothing"},
                                           {".a[0]", "nothing"}}) {
    const auto path = JsonPath::Parse(one.path);
    ASSERT_TRUE(path.ok()) << one.path;
    const Json* found = path.value().Find(object);
    EXPECT_EQ(found == nullptr ? "nothing" : Dump(*found), one.value) << one.path;
  }
}

TEST(JsonPath, RefusesTheRest) {
  for (const char* path : {"", "a", ".a[", ".a[*]", ".a[?(@.b>1)]", ".a[?(@.b==1)]", "..a",
                           ".a['b']", ".a[?(@.b.c=='x')]", "$.a", ".a b"}) {
    EXPECT_FALSE(JsonPath::Parse(path).ok()) << path;
  }
}

}  // namespace
}  // namespace muster::e2e
