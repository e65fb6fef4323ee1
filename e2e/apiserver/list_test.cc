#include "e2e/apiserver/list.h"

#include <gtest/gtest.h>

#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

std::string Names(const Json& list) {
  std::string names;
  for (const Json& item : list["items"]) {
    names += (names.empty() ? "" : " ") + item["metadata"]["name"].get<std::string>();
  }
  return names;
}

struct Lists : ::testing::Test {
  TestClient client{{.watch_history = 8}};
  void SetUp() override {
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      Json pod = PodBody(name);
      pod["metadata"]["labels"] = {{"app", name}, {"even", *name % 2 == 0 ? "yes" : "no"}};
      ASSERT_EQ(client.Post(kPods, pod).code, 201);
    }
  }
};

TEST_F(Lists, PagesShowOneState) {
  const Json first = client.Get(std::string(kPods) + "?limit=2").body;
  EXPECT_EQ(Names(first), "a b");
  EXPECT_EQ(first["kind"], "PodList");
  ASSERT_EQ(client.Delete(std::string(kPods) + "/c").code, 200);
  ASSERT_EQ(client.Post(kPods, PodBody("cc")).code, 201);
  ASSERT_EQ(
      client.Patch("merge", std::string(kPods) + "/d", {{"metadata", {{"labels", {{"new", "1"}}}}}})
          .code,
      200);
  const std::string token = first["metadata"]["continue"].get<std::string>();
  const Json second = client.Get(std::string(kPods) + "?limit=2&continue=" + token).body;
  EXPECT_EQ(Names(second), "c d");
  EXPECT_FALSE(second["items"][1]["metadata"]["labels"].contains("new"));
  EXPECT_EQ(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
  const std::string next = second["metadata"]["continue"].get<std::string>();
  const Json third = client.Get(std::string(kPods) + "?limit=2&continue=" + next).body;
  EXPECT_EQ(Names(third), "e");
  EXPECT_FALSE(third["metadata"].contains("continue"));
  EXPECT_EQ(Names(client.Get(kPods).body), "a b cc d e");
}

TEST_F(Lists, ExactVersionsAreThePast) {
  const std::string rv = client.Get(kPods).body["metadata"]["resourceVersion"].get<std::string>();
  ASSERT_EQ(client.Delete(std::string(kPods) + "/a").code, 200);
  EXPECT_EQ(
      Names(
          client.Get(std::string(kPods) + "?resourceVersion=" + rv + "&resourceVersionMatch=Exact")
              .body),
      "a b c d e");
  EXPECT_EQ(Names(client.Get(std::string(kPods) + "?resourceVersion=" + rv).body), "b c d e");
}

TEST_F(Lists, ATokenExpires) {
  const Json first = client.Get(std::string(kPods) + "?limit=2").body;
  const std::string token = first["metadata"]["continue"].get<std::string>();
  for (int i = 0; i < 9; ++i) {
    ASSERT_EQ(client
                  .Patch("merge", std::string(kPods) + "/a",
                         {{"metadata", {{"labels", {{"i", std::to_string(i)}}}}}})
                  .code,
              200);
  }
  const Reply late = client.Get(std::string(kPods) + "?limit=2&continue=" + token);
  EXPECT_EQ(late.code, 410);
  EXPECT_EQ(late.reason(), "Expired");
}

TEST_F(Lists, Selects) {
  struct Case {
    const char* query;
    const char* names;
  };
  for (const Case& one :
       std::vector<Case>{{"labelSelector=app=a", "a"},
                         {"labelSelector=app in (a,c)", "a c"},
                         {"labelSelector=app notin (a, c),even=yes", "b d"},
                         {"labelSelector=app!=a,even", "b c d e"},
                         {"labelSelector=!app", ""},
                         {"fieldSelector=metadata.name=b", "b"},
                         {"fieldSelector=metadata.name!=b,spec.nodeName=", "a c d e"},
                         {"fieldSelector=status.phase==Pending&limit=1", "a"},
                         {"fieldSelector=spec.schedulerName=muster", ""},
                         {"fieldSelector=metadata.namespace=default", "a b c d e"}}) {
    EXPECT_EQ(Names(client.Get("/api/v1/pods?" + std::string(one.query)).body), one.names)
        << one.query;
  }
}

TEST_F(Lists, RefusesOptionsThatMakeNoSense) {
  struct Case {
    const char* query;
    int code;
  };
  for (const Case& one : std::vector<Case>{{"labelSelector=a=b=c", 400},
                                           {"labelSelector=a in b)", 400},
                                           {"labelSelector=a of (b)", 400},
                                           {"labelSelector=$", 400},
                                           {"fieldSelector=spec.other=1", 400},
                                           {"fieldSelector=metadata.name", 400},
                                           {"limit=x", 400},
                                           {"continue=zz", 400},
                                           {"continue=5.1", 400},
                                           {"continue=5.61&resourceVersion=4", 400},
                                           {"resourceVersion=x", 422},
                                           {"resourceVersion=9999", 504},
                                           {"resourceVersionMatch=Exact", 422},
                                           {"resourceVersionMatch=Exact&resourceVersion=0", 422},
                                           {"resourceVersionMatch=Other&resourceVersion=1", 422},
                                           {"sendInitialEvents=true", 422}}) {
    EXPECT_EQ(client.Get(std::string(kPods) + "?" + one.query).code, one.code) << one.query;
  }
  EXPECT_EQ(client.Get(std::string(kPods) + "?resourceVersion=9999").headers[0].first,
            "Retry-After");
}

TEST(List, NamespacesAreApart) {
  TestClient client;
  for (const char* ns : {"team", "team-a"}) {
    ASSERT_EQ(client.Post("/api/v1/namespaces", {{"metadata", {{"name", ns}}}}).code, 201);
    ASSERT_EQ(client.Post("/api/v1/namespaces/" + std::string(ns) + "/pods", PodBody(ns)).code,
              201);
  }
  EXPECT_EQ(Names(client.Get("/api/v1/namespaces/team/pods").body), "team");
  EXPECT_EQ(Names(client.Get("/api/v1/namespaces/team-a/pods").body), "team-a");
  EXPECT_EQ(client.Get("/api/v1/pods").body["items"].size(), 2U);
}

}  // namespace
}  // namespace muster::e2e
