#include "e2e/apiserver/watch.h"

#include <gtest/gtest.h>

#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

struct Watches : ::testing::Test {
  TestClient client{{.watch_history = 16}};
  Frames frames;
  ApiServer::Subscription Open(const std::string& query) {
    return client.server.Subscribe(TestClient::Make("GET", "/api/v1/pods?watch=1" + query),
                                   frames.sink(), [this] { ++frames.ended; });
  }
  std::string Version() {
    return client.Get(kPods).body["metadata"]["resourceVersion"].get<std::string>();
  }
  void Label(const char* value) {
    ASSERT_EQ(client.Patch("merge", kPod, {{"metadata", {{"labels", {{"a", value}}}}}}).code, 200);
  }
};

TEST_F(Watches, FollowsFromAVersion) {
  const std::string before = Version();
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  const auto watch = Open("&resourceVersion=" + before);
  EXPECT_EQ(watch.answer.status, 200);
  EXPECT_EQ(frames.Text(), "ADDED p0");
  Label("1");
  ASSERT_EQ(client.Delete(kPod).code, 200);
  EXPECT_EQ(frames.Text(), "ADDED p0, MODIFIED p0, DELETED p0");
  EXPECT_EQ(frames.all[2]["object"]["metadata"]["resourceVersion"], Version());
  EXPECT_EQ(frames.all[2]["object"]["metadata"]["labels"]["a"], "1");
}

TEST_F(Watches, StartsWithWhatIsThere) {
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  ASSERT_NE(Open("").id, 0U);
  ASSERT_NE(Open("&resourceVersion=0").id, 0U);
  EXPECT_EQ(frames.Text(), "ADDED p0, ADDED p0");
}

TEST_F(Watches, SendsInitialEventsAndTheirEnd) {
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  ASSERT_NE(Open("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                 "&allowWatchBookmarks=true")
                .id,
            0U);
  EXPECT_EQ(frames.Text(), "ADDED p0, BOOKMARK");
  const Json& meta = frames.all[1]["object"]["metadata"];
  EXPECT_EQ(meta["annotations"]["k8s.io/initial-events-end"], "true");
  EXPECT_EQ(meta["resourceVersion"], Version());
  Label("1");
  EXPECT_EQ(frames.Text(), "ADDED p0, BOOKMARK, MODIFIED p0");
}

TEST_F(Watches, SelectorsTurnChangesIntoComingsAndGoings) {
  ASSERT_NE(Open("&labelSelector=a=1").id, 0U);
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  EXPECT_EQ(frames.Text(), "");
  Label("1");
  EXPECT_EQ(frames.Text(), "ADDED p0");
  Label("2");
  EXPECT_EQ(frames.Text(), "ADDED p0, DELETED p0");
  EXPECT_EQ(frames.all[1]["object"]["metadata"]["labels"]["a"], "1");
  EXPECT_EQ(frames.all[1]["object"]["metadata"]["resourceVersion"], Version());
  ASSERT_EQ(client.Delete(kPod).code, 200);
  EXPECT_EQ(frames.all.size(), 2U);
}

TEST_F(Watches, SeesOnlyItsNamespaceAndObject) {
  ASSERT_EQ(client.Post("/api/v1/namespaces", {{"metadata", {{"name", "n2"}}}}).code, 201);
  const auto one = client.server.Subscribe(TestClient::Make("GET", std::string(kPod) + "?watch=1"),
                                           frames.sink(), nullptr);
  ASSERT_NE(one.id, 0U);
  ASSERT_EQ(client.Post("/api/v1/namespaces/n2/pods", PodBody("p0")).code, 201);
  ASSERT_EQ(client.Post(kPods, PodBody("p1")).code, 201);
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  EXPECT_EQ(frames.Text(), "ADDED p0");
}

TEST_F(Watches, ForgottenVersionsAreGone) {
  const std::string before = Version();
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  for (int i = 0; i < 16; ++i) Label(std::to_string(i).c_str());
  const auto late = Open("&resourceVersion=" + before);
  EXPECT_EQ(late.id, 0U);
  EXPECT_EQ(late.answer.status, 410);
  const Json status = Json::parse(late.answer.body);
  EXPECT_EQ(status["reason"], "Expired");
  EXPECT_TRUE(status["message"].get<std::string>().starts_with("too old resource version: "));
  EXPECT_NE(Open("&resourceVersion=" + Version()).id, 0U);
}

TEST_F(Watches, CompactForgetsAndLetsOpenWatchesBe) {
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  const std::string before = Version();
  ASSERT_NE(Open("&resourceVersion=" + before).id, 0U);
  Label("1");
  client.server.Compact();
  EXPECT_EQ(Open("&resourceVersion=" + before).answer.status, 410);
  Label("2");
  EXPECT_EQ(frames.Text(), "MODIFIED p0, MODIFIED p0");
}

TEST_F(Watches, RefusesAVersionThatIsNotThereYet) {
  EXPECT_EQ(Open("&resourceVersion=100000").answer.status, 504);
  EXPECT_EQ(Open("&resourceVersion=x").answer.status, 422);
  EXPECT_EQ(Open("&sendInitialEvents=true").answer.status, 422);
  EXPECT_EQ(Open("&resourceVersionMatch=NotOlderThan").answer.status, 422);
  EXPECT_EQ(Open("&fieldSelector=spec.x=1").answer.status, 400);
  EXPECT_EQ(client.server
                .Subscribe(TestClient::Make("GET", "/api/v1/services?watch=1"), frames.sink(), {})
                .answer.status,
            404);
}

TEST_F(Watches, BookmarksGoToThoseWhoAsked) {
  ASSERT_NE(Open("&allowWatchBookmarks=true").id, 0U);
  ASSERT_NE(Open("").id, 0U);
  client.server.Bookmark();
  EXPECT_EQ(frames.Text(), "BOOKMARK");
  EXPECT_EQ(frames.all[0]["object"]["kind"], "Pod");
  EXPECT_EQ(frames.all[0]["object"]["metadata"]["resourceVersion"], Version());
}

TEST_F(Watches, EndAndUnsubscribe) {
  const auto first = Open("");
  const auto second = Open("");
  client.server.Unsubscribe(first.id);
  client.server.EndWatches();
  EXPECT_EQ(frames.ended, 1);
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  EXPECT_EQ(frames.Text(), "");
  EXPECT_NE(second.id, first.id);
}

TEST_F(Watches, ASinkMayCloseItsWatch) {
  int seen = 0;
  std::uint64_t id = 0;
  id = client.server
           .Subscribe(TestClient::Make("GET", "/api/v1/pods?watch=1"),
                      [&](const std::string&) {
                        ++seen;
                        client.server.Unsubscribe(id);
                      },
                      {})
           .id;
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  ASSERT_EQ(client.Post(kPods, PodBody("p1")).code, 201);
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace muster::e2e
