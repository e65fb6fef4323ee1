#include "e2e/apiserver/deletion.h"

#include <gtest/gtest.h>

#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

TEST(Deletion, UnboundAndEndedPodsGoAtOnce) {
  TestClient client;
  const Json pod = client.Post(kPods, PodBody("p0")).body;
  const Reply reply = client.Delete(kPod, {{"propagationPolicy", "Background"}});
  EXPECT_EQ(reply.code, 200);
  EXPECT_EQ(reply.body["metadata"]["uid"], pod["metadata"]["uid"]);
  EXPECT_EQ(client.Get(kPod).code, 404);
  EXPECT_EQ(client.Delete(kPod).code, 404);

  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  ASSERT_EQ(client.Post(std::string(kPod) + "/binding", BindingBody("p0", "n")).code, 201);
  ASSERT_EQ(
      client.Patch("merge", std::string(kPod) + "/status", {{"status", {{"phase", "Failed"}}}})
          .code,
      200);
  EXPECT_EQ(client.Delete(kPod).code, 200);
  EXPECT_EQ(client.Get(kPod).code, 404);
}

TEST(Deletion, BoundPodsWaitForTheirKubelet) {
  TestClient client;
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  ASSERT_EQ(client.Post(std::string(kPod) + "/binding", BindingBody("p0", "n")).code, 201);
  const Json marked = client.Delete(kPod).body;
  EXPECT_EQ(marked["metadata"]["deletionGracePeriodSeconds"], 30);
  EXPECT_EQ(marked["metadata"]["deletionTimestamp"], "2026-09-21T14:13:50Z");
  EXPECT_EQ(marked["metadata"]["generation"], 2);
  EXPECT_EQ(client.Delete(kPod).body, marked);
  EXPECT_EQ(client.Delete(std::string(kPod) + "?gracePeriodSeconds=5")
                .body["metadata"]["deletionGracePeriodSeconds"],
            5);
  EXPECT_EQ(client.Delete(kPod, {{"gracePeriodSeconds", 0}}).code, 200);
  EXPECT_EQ(client.Get(kPod).code, 404);
}

TEST(Deletion, HoldsToPreconditions) {
  TestClient client;
  const Json pod = client.Post(kPods, PodBody("p0")).body;
  const Reply uid = client.Delete(kPod, {{"preconditions", {{"uid", "0000"}}}});
  EXPECT_EQ(uid.code, 409);
  EXPECT_EQ(uid.message(),
            "Operation cannot be fulfilled on Pod \"p0\": the UID in the precondition (0000) does "
            "not match the UID in record (" +
                pod["metadata"]["uid"].get<std::string>() +
                "). The object might have been deleted and then recreated");
  const Reply version = client.Delete(kPod, {{"preconditions", {{"resourceVersion", "1"}}}});
  EXPECT_EQ(version.code, 409);
  EXPECT_NE(version.message().find("the ResourceVersion in the precondition (1) does not match"),
            std::string::npos);
  EXPECT_EQ(client.Delete(kPod, {{"dryRun", {"All"}}}).code, 200);
  EXPECT_EQ(client.Delete(kPod, {{"preconditions", {{"uid", pod["metadata"]["uid"]}}}}).code, 200);
}

TEST(Deletion, FinalizersHoldAnObject) {
  TestClient client;
  Json pod = PodBody("p0");
  pod["metadata"]["finalizers"] = {"test.dev/hold"};
  ASSERT_EQ(client.Post(kPods, pod).code, 201);
  EXPECT_TRUE(client.Delete(kPod).body["metadata"].contains("deletionTimestamp"));
  EXPECT_EQ(client.Get(kPod).code, 200);
  EXPECT_EQ(client.Patch("merge", kPod, {{"metadata", {{"finalizers", nullptr}}}}).code, 200);
  EXPECT_EQ(client.Get(kPod).code, 404);
}

TEST(Deletion, OfACollection) {
  TestClient client;
  for (const char* name : {"a", "b", "c"}) {
    Json pod = PodBody(name);
    pod["metadata"]["labels"] = {{"app", *name == 'b' ? "keep" : "go"}};
    ASSERT_EQ(client.Post(kPods, pod).code, 201);
  }
  const Reply reply = client.Delete(std::string(kPods) + "?labelSelector=app=go");
  EXPECT_EQ(reply.code, 200);
  EXPECT_EQ(reply.body["items"].size(), 2U);
  EXPECT_EQ(client.Get(kPods).body["items"].size(), 1U);
}

TEST(Deletion, OtherKindsAnswerWithAStatus) {
  TestClient client;
  const std::string path = "/apis/scheduling.k8s.io/v1/priorityclasses";
  ASSERT_EQ(client.Post(path, {{"metadata", {{"name", "high"}}}, {"value", 1}}).code, 201);
  const Reply reply = client.Delete(path + "/high");
  EXPECT_EQ(reply.body["status"], "Success");
  EXPECT_EQ(reply.body["details"]["name"], "high");
  EXPECT_EQ(reply.body["details"]["group"], "scheduling.k8s.io");
}

struct Namespaces : ::testing::Test {
  TestClient client;
  const std::string pods = "/api/v1/namespaces/team/pods";
  void SetUp() override {
    ASSERT_EQ(client.Post("/api/v1/namespaces", {{"metadata", {{"name", "team"}}}}).code, 201);
    ASSERT_EQ(client.Post(pods, PodBody("p0")).code, 201);
    ASSERT_EQ(client.Post(pods, PodBody("p1")).code, 201);
  }
};

TEST_F(Namespaces, TakeTheirObjectsAlong) {
  EXPECT_EQ(client.Get("/api/v1/namespaces/team")
                .body["metadata"]["labels"]["kubernetes.io/metadata.name"],
            "team");
  EXPECT_EQ(client.Delete("/api/v1/namespaces/team").code, 200);
  EXPECT_EQ(client.Get("/api/v1/namespaces/team").code, 404);
  EXPECT_TRUE(client.Get("/api/v1/pods").body["items"].empty());
  EXPECT_EQ(client.Post(pods, PodBody("p0")).code, 404);
}

TEST_F(Namespaces, RefuseCreatesWhileTheyGo) {
  ASSERT_EQ(client.Post(pods + "/p0/binding", BindingBody("p0", "n")).code, 201);
  Json held = PodBody("p2");
  held["metadata"]["finalizers"] = {"test.dev/hold"};
  ASSERT_EQ(client.Post(pods, held).code, 201);
  ASSERT_EQ(client.Delete("/api/v1/namespaces/team").body["status"]["phase"], "Terminating");
  EXPECT_EQ(client.Get(pods).body["items"].size(), 2U);
  for (const Reply& reply : {client.Post(pods, PodBody("t1")),
                             client.Post(pods + "/p2/binding", BindingBody("p2", "n"))}) {
    EXPECT_EQ(reply.code, 403);
    EXPECT_NE(reply.message().find("is forbidden: unable to create new content in namespace team "
                                   "because it is being terminated"),
              std::string::npos);
    EXPECT_EQ(reply.body["details"]["causes"],
              Json::parse(R"([{"reason":"NamespaceTerminating","message":
                  "namespace team is being terminated","field":"metadata.namespace"}])"));
  }
  EXPECT_EQ(client.Patch("merge", pods + "/p0/status", {{"status", {{"phase", "Failed"}}}}).code,
            200);
  EXPECT_EQ(client.Delete(pods + "/p0?gracePeriodSeconds=0").code, 200);
  EXPECT_EQ(client.Patch("merge", pods + "/p2", {{"metadata", {{"finalizers", nullptr}}}}).code,
            200);
  EXPECT_EQ(client.Get("/api/v1/namespaces/team").code, 404);
}

}  // namespace
}  // namespace muster::e2e
