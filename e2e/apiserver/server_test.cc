#include "e2e/apiserver/server.h"

#include <gtest/gtest.h>

#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

TEST(ApiServer, CreatesAndReads) {
  TestClient client;
  const Reply made = client.Post(kPods, PodBody("p0"));
  EXPECT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body["metadata"]["namespace"], "default");
  EXPECT_EQ(made.body["metadata"]["creationTimestamp"], "2026-09-21T14:13:20Z");
  EXPECT_EQ(made.body["metadata"]["uid"].get<std::string>().size(), 36U);
  EXPECT_EQ(client.Get(kPod).body, made.body);
  const Reply again = client.Post(kPods, PodBody("p0"));
  EXPECT_EQ(again.code, 409);
  EXPECT_EQ(again.reason(), "AlreadyExists");
  EXPECT_EQ(again.message(), "pods \"p0\" already exists");
}

TEST(ApiServer, GivesTheSameBytesForTheSameRequests) {
  const auto run = [] {
    TestClient client;
    std::string text;
    for (int i = 0; i < 20; ++i) {
      Json pod = PodBody("");
      pod["metadata"] = {{"generateName", "p-"}};
      text += client.Post(kPods, pod).text;
    }
    return text + client.Get("/api/v1/pods").text;
  };
  EXPECT_EQ(run(), run());
}

TEST(ApiServer, NumbersGivenNamesApart) {
  TestClient client;
  Json pod = PodBody("");
  pod["metadata"] = {{"generateName", "p-"}};
  const Json first = client.Post(kPods, pod).body;
  const Json second = client.Post(kPods, pod).body;
  EXPECT_NE(first["metadata"]["name"], second["metadata"]["name"]);
  EXPECT_NE(first["metadata"]["uid"], second["metadata"]["uid"]);
}

TEST(ApiServer, UpdatesOptimistically) {
  TestClient client;
  Json pod = client.Post(kPods, PodBody("p0")).body;
  Json next = pod;
  next["metadata"]["labels"] = {{"a", "1"}};
  EXPECT_EQ(client.Put(kPod, next).code, 200);
  const Reply stale = client.Put(kPod, next);
  EXPECT_EQ(stale.code, 409);
  EXPECT_EQ(stale.reason(), "Conflict");
  EXPECT_EQ(stale.message(),
            "Operation cannot be fulfilled on pods \"p0\": the object has been modified; please "
            "apply your changes to the latest version and try again");
  next["metadata"].erase("resourceVersion");
  next["metadata"]["labels"] = {{"a", "2"}};
  EXPECT_EQ(client.Put(kPod, next).code, 200);
  next["metadata"]["uid"] = "other";
  EXPECT_EQ(client.Put(kPod, next).code, 409);
}

TEST(ApiServer, LooksAtTheNumbersOfALease) {
  TestClient client;
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  Json lease = {{"metadata", {{"name", "l"}}},
                {"spec", {{"leaseDurationSeconds", 0}, {"leaseTransitions", -1}}}};
  const Reply refused = client.Post(leases, lease);
  EXPECT_EQ(refused.code, 422);
  EXPECT_NE(refused.message().find("spec.leaseDurationSeconds: Invalid value: 0: must be greater "
                                   "than 0"),
            std::string::npos)
      << refused.message();
  EXPECT_NE(refused.message().find("spec.leaseTransitions: Invalid value: -1: must be greater than "
                                   "or equal to 0"),
            std::string::npos)
      << refused.message();
  lease["spec"] = {{"leaseDurationSeconds", 15}, {"leaseTransitions", 0}};
  Json stored = client.Post(leases, lease).body;
  stored["spec"]["leaseDurationSeconds"] = -15;
  EXPECT_EQ(client.Put(leases + "/l", stored).code, 422);
}

TEST(ApiServer, LeavesTheVersionAloneWhenNothingChanges) {
  TestClient client;
  const Json pod = client.Post(kPods, PodBody("p0")).body;
  EXPECT_EQ(client.Put(kPod, pod).body, pod);
  EXPECT_EQ(client.Patch("merge", kPod, {{"metadata", {{"labels", nullptr}}}}).body, pod);
  EXPECT_EQ(client
                .Patch("strategic-merge", std::string(kPod) + "/status",
                       {{"metadata", {{"uid", pod["metadata"]["uid"]}}}})
                .body,
            pod);
}

TEST(ApiServer, KeepsStatusAndSpecApart) {
  TestClient client;
  const Json pod = client.Post(kPods, PodBody("p0")).body;
  const Reply status = client.Patch("merge", std::string(kPod) + "/status",
                                    {{"status", {{"phase", "Running"}}},
                                     {"spec", {{"schedulerName", "x"}}},
                                     {"metadata", {{"labels", {{"a", "1"}}}}}});
  EXPECT_EQ(status.body["status"]["phase"], "Running");
  EXPECT_EQ(status.body["spec"], pod["spec"]);
  EXPECT_EQ(status.body["metadata"]["labels"]["a"], "1");
  EXPECT_EQ(status.body["metadata"]["generation"], 1);
  const Reply main = client.Patch("merge", kPod, {{"status", {{"phase", "Failed"}}}});
  EXPECT_EQ(main.body["status"]["phase"], "Running");
}

TEST(ApiServer, RefusesAnotherUidInAStatusPatch) {
  TestClient client;
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  const Reply reply = client.Patch("strategic-merge", std::string(kPod) + "/status",
                                   {{"metadata", {{"uid", "other"}}}});
  EXPECT_EQ(reply.code, 422);
  EXPECT_EQ(reply.reason(), "Invalid");
  ASSERT_EQ(reply.body["details"]["causes"].size(), 2U);
  EXPECT_EQ(reply.body["details"]["causes"][0]["field"], "metadata.uid");
}

TEST(ApiServer, SaysWhatItDoesNotServe) {
  TestClient client;
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  struct Case {
    const char* method;
    std::string target;
    int code;
  };
  const std::vector<Case> cases = {{"GET", "/api/v1/services", 404},
                                   {"GET", "/apis/apps/v1/deployments", 404},
                                   {"GET", "/nothing", 404},
                                   {"GET", std::string(kPod) + "/log", 404},
                                   {"POST", std::string(kPod) + "/exec", 404},
                                   {"GET", std::string(kPod) + "/binding", 405},
                                   {"POST", kPod, 405},
                                   {"PUT", kPods, 405},
                                   {"POST", "/api/v1/pods", 405},
                                   {"DELETE", std::string(kPod) + "/status", 405},
                                   {"GET", "/api/v1/namespaces/default/pods/p0/status/x", 404},
                                   {"GET", "/api/v1/pods/p0", 404},
                                   {"GET", "/api/v1/namespaces/default/nodes", 404}};
  for (const Case& one : cases) {
    const Reply reply = client.Send(TestClient::Make(one.method, one.target, PodBody("p0")));
    EXPECT_EQ(reply.code, one.code) << one.method << " " << one.target;
    EXPECT_FALSE(reply.text.empty());
  }
}

TEST(ApiServer, RefusesBodiesThatItCannotRead) {
  TestClient client;
  HttpRequest request = TestClient::Make("POST", kPods, PodBody("p0"));
  request.content_type = "application/vnd.kubernetes.protobuf";
  EXPECT_EQ(client.Send(request).code, 415);
  request.content_type = "application/json; charset=utf-8";
  request.body = "{";
  EXPECT_EQ(client.Send(request).code, 400);
  request.body = std::string(100'000, '[');
  EXPECT_EQ(client.Send(request).code, 400);
  request.body = "\"" + std::string(4'000'000, 'x') + "\"";
  EXPECT_EQ(client.Send(request).code, 413);
  ASSERT_EQ(client.Post(kPods, PodBody("p1")).code, 201);
  const Json large = {{"metadata", {{"labels", {{"a", std::string(4'000'000, 'x')}}}}}};
  EXPECT_EQ(client.Patch("merge", std::string(kPods) + "/p1", large).code, 413);
  request.body = R"({"metadata":{"name":"p0","resourceVersion":"7"},"spec":{}})";
  EXPECT_EQ(client.Send(request).message(),
            "resourceVersion should not be set on objects to be created");
  request.body = R"({"apiVersion":"v2","kind":"Pod"})";
  EXPECT_EQ(client.Send(request).code, 400);
  request.body = R"({"kind":"Node"})";
  EXPECT_EQ(client.Send(request).code, 400);
  request.body = R"({"metadata":{"name":"p0","namespace":"other"}})";
  EXPECT_EQ(client.Send(request).code, 400);
  request.body = R"({"metadata":{"name":"P_0"},"spec":{}})";
  EXPECT_EQ(client.Send(request).code, 422);
  request.accept = "application/yaml";
  EXPECT_EQ(client.Send(request).code, 406);
}

TEST(ApiServer, LargeObjectsHaveTheLimitsOfTheRealServer) {
  TestClient client;
  Json pod = PodBody("p0");
  pod["metadata"]["annotations"] = {{"a", std::string((256U << 10U) - 1, 'x')}};
  EXPECT_EQ(client.Post(kPods, pod).code, 201);
  const Reply longer = client.Patch("merge", kPod, {{"metadata", {{"annotations", {{"b", "c"}}}}}});
  EXPECT_EQ(longer.code, 422);
  EXPECT_EQ(longer.message(),
            "Pod \"p0\" is invalid: metadata.annotations: Too long: may not be more than 262144 "
            "bytes");
  pod["metadata"]["name"] = "p1";
  pod["metadata"]["annotations"]["b"] = "c";
  EXPECT_EQ(client.Post(kPods, pod).code, 422);
  Json large = PodBody("p2");
  large["spec"]["containers"][0]["env"] = {{{"name", "A"}, {"value", std::string(1U << 20U, 'x')}}};
  EXPECT_EQ(client.Post(kPods, large).code, 201);
  large["metadata"]["name"] = "p3";
  large["spec"]["containers"][0]["env"][0]["value"] = std::string(1'600'000, 'x');
  const Reply refused = client.Post(kPods, large);
  EXPECT_EQ(refused.code, 500);
  EXPECT_EQ(refused.message(), "etcdserver: request is too large");
  // A patch that is small itself.
  const std::string p2 = std::string(kPods) + "/p2";
  const Reply grown =
      client.Patch("merge", p2 + "/status", {{"status", {{"message", std::string(600'000, 'x')}}}});
  EXPECT_EQ(grown.code, 500);
  EXPECT_EQ(client.Patch("merge", p2 + "/status", {{"status", {{"message", "x"}}}}).code, 200);
}

TEST(Server, RestoredToAnOlderStateItMakesWatchersListAgain) {
  TestClient client;
  EXPECT_EQ(client.Post(kPods, PodBody("stays")).code, 201);
  EXPECT_EQ(client.Post(kPods, PodBody("comes-back")).code, 201);
  const auto snapshot = client.server.Save();
  const Json then = client.Get(std::string(kPods) + "/stays").body;
  Json changed = then;
  changed["metadata"]["labels"] = {{"a", "b"}};
  EXPECT_EQ(client.Put(std::string(kPods) + "/stays", changed).code, 200);
  EXPECT_EQ(client.Delete(std::string(kPods) + "/comes-back").code, 200);
  const std::string made =
      StringAt(client.Post(kPods, PodBody("goes")).body, {"metadata", "resourceVersion"});
  Frames frames;
  WatchAll(client.server, "/api/v1/pods", frames.sink());
  frames.all.clear();

  client.server.Restore(*snapshot);
  EXPECT_EQ(frames.Text(), "DELETED goes, ADDED comes-back, MODIFIED stays");
  EXPECT_EQ(client.Get(std::string(kPods) + "/stays").body, then);
  EXPECT_EQ(client.Get(std::string(kPods) + "/goes").code, 404);
  HttpRequest watch = TestClient::Make("GET", "/api/v1/pods?watch=1&resourceVersion=" + made);
  EXPECT_EQ(client.server
                .Subscribe(
                    watch, [](const std::string&) {}, []() {})
                .answer.status,
            410);
  // Numbers that were given once are not given again.
  const std::string next =
      StringAt(client.Post(kPods, PodBody("new")).body, {"metadata", "resourceVersion"});
  EXPECT_GT(std::stoll(next), std::stoll(made));
}

}  // namespace
}  // namespace muster::e2e
