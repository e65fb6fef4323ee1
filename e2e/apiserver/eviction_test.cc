#include "e2e/apiserver/eviction.h"

#include <gtest/gtest.h>

#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

constexpr const char* kBudgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const std::string kEviction = std::string(kPod) + "/eviction";

Json Eviction(const Json& options = nullptr) {
  Json eviction = {
      {"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", {{"name", "p0"}}}};
  if (!options.is_null()) eviction["deleteOptions"] = options;
  return eviction;
}

// p0 runs on a node and is ready; `app=web`.
struct Evictions : ::testing::Test {
  TestClient client;
  void SetUp() override {
    Json pod = PodBody("p0");
    pod["metadata"]["labels"] = {{"app", "web"}};
    ASSERT_EQ(client.Post(kPods, pod).code, 201);
    ASSERT_EQ(client.Post(std::string(kPod) + "/binding", BindingBody("p0", "n")).code, 201);
    SetStatus(R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})");
  }
  void SetStatus(const char* status) {
    ASSERT_EQ(client
                  .Patch("strategic-merge", std::string(kPod) + "/status",
                         {{"status", Json::parse(status)}})
                  .code,
              200);
  }
  void Budget(const std::string& name, const char* status) {
    const Json budget = {
        {"metadata", {{"name", name}}},
        {"spec", {{"minAvailable", 1}, {"selector", {{"matchLabels", {{"app", "web"}}}}}}}};
    ASSERT_EQ(client.Post(kBudgets, budget).code, 201);
    ASSERT_EQ(client
                  .Patch("merge", std::string(kBudgets) + "/" + name + "/status",
                         {{"status", Json::parse(status)}})
                  .code,
              200);
  }
  void IsHeldBack(const std::string& cause) {
    const Reply reply = client.Post(kEviction, Eviction());
    EXPECT_EQ(reply.code, 429);
    EXPECT_EQ(reply.reason(), "TooManyRequests");
    EXPECT_EQ(reply.message(), "Cannot evict pod as it would violate the pod's disruption budget.");
    EXPECT_EQ(StringAt(reply.body["details"]["causes"][0], {"message"}), cause);
    EXPECT_FALSE(client.Get(kPod).body["metadata"].contains("deletionTimestamp"));
  }
};

TEST_F(Evictions, DeleteAndSayWhy) {
  const Reply reply = client.Post(kEviction, Eviction({{"gracePeriodSeconds", 7}}));
  EXPECT_EQ(reply.code, 201);
  EXPECT_EQ(reply.body["status"], "Success");
  const Json pod = client.Get(kPod).body;
  EXPECT_EQ(pod["metadata"]["deletionGracePeriodSeconds"], 7);
  const Json& condition = pod["status"]["conditions"].back();
  EXPECT_EQ(condition["type"], "DisruptionTarget");
  EXPECT_EQ(condition["reason"], "EvictionByEvictionAPI");
  EXPECT_EQ(condition["message"], "Eviction API: evicting");
}

TEST_F(Evictions, OfAPodThatWaitsTakeItAtOnce) {
  ASSERT_EQ(client.Post(kPods, PodBody("p1")).code, 201);
  Json eviction = Eviction();
  eviction["metadata"]["name"] = "p1";
  EXPECT_EQ(client.Post(std::string(kPods) + "/p1/eviction", eviction).code, 201);
  EXPECT_EQ(client.Get(std::string(kPods) + "/p1").code, 404);
}

TEST_F(Evictions, HoldToPreconditionsAndDryRun) {
  const Json before = client.Get(kPod).body;
  EXPECT_EQ(client.Post(kEviction, Eviction({{"preconditions", {{"uid", "other"}}}})).code, 409);
  EXPECT_EQ(client.Post(kEviction, Eviction({{"preconditions", {{"resourceVersion", "1"}}}})).code,
            409);
  EXPECT_EQ(client.Post(kEviction, Eviction({{"dryRun", {"All"}}})).code, 201);
  EXPECT_EQ(client.Post(kEviction + "?dryRun=All", Eviction()).code, 201);
  EXPECT_EQ(client.Get(kPod).body, before);
  const Json met = {{"preconditions",
                     {{"uid", before["metadata"]["uid"]},
                      {"resourceVersion", before["metadata"]["resourceVersion"]}}}};
  EXPECT_EQ(client.Post(kEviction, Eviction(met)).code, 201);
  EXPECT_TRUE(client.Get(kPod).body["metadata"].contains("deletionTimestamp"));
}

TEST_F(Evictions, UseUpABudget) {
  Budget("web", R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,
                    "desiredHealthy":1,"expectedPods":2})");
  EXPECT_EQ(client.Post(kEviction + "?dryRun=All", Eviction()).code, 201);
  EXPECT_EQ(client.Post(kEviction, Eviction()).code, 201);
  const Json budget = client.Get(std::string(kBudgets) + "/web").body;
  EXPECT_EQ(budget["status"]["disruptionsAllowed"], 0);
  EXPECT_EQ(budget["status"]["disruptedPods"], Json::parse(R"({"p0":"2026-09-21T14:13:20Z"})"));
  // It is on its way already: another asks for nothing.
  EXPECT_EQ(client.Post(kEviction, Eviction()).code, 201);
}

TEST_F(Evictions, AreHeldBackByABudgetThatIsUsedUp) {
  Budget("web", R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,
                    "desiredHealthy":1,"expectedPods":1})");
  IsHeldBack("The disruption budget web needs 1 healthy pods and has 1 currently");
  // A pod that serves nobody may go.
  SetStatus(R"({"conditions":[{"type":"Ready","status":"False"}]})");
  EXPECT_EQ(client.Post(kEviction, Eviction()).code, 201);
}

TEST_F(Evictions, AreHeldBackWhileTheBudgetIsNotCounted) {
  Budget("web", "{}");
  IsHeldBack("The disruption budget web is still being processed by the server.");
  EXPECT_EQ(client.Post(kEviction, Eviction()).headers.at(0).second, "10");
}

TEST_F(Evictions, OfUnhealthyPodsMayBeAllowedAlways) {
  Budget("web", R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":0,
                    "desiredHealthy":1,"expectedPods":1})");
  SetStatus(R"({"conditions":[{"type":"Ready","status":"False"}]})");
  IsHeldBack("The disruption budget web needs 1 healthy pods and has 0 currently");
  ASSERT_EQ(client
                .Patch("merge", std::string(kBudgets) + "/web",
                       {{"spec", {{"unhealthyPodEvictionPolicy", "AlwaysAllow"}}}})
                .code,
            200);
  EXPECT_EQ(client.Post(kEviction, Eviction()).code, 201);
}

TEST_F(Evictions, RefuseWhatMakesNoSense) {
  Budget("a", "{}");
  Budget("b", "{}");
  EXPECT_EQ(client.Post(kEviction, Eviction()).code, 500);
  EXPECT_EQ(client.Post(std::string(kPods) + "/p2/eviction", Eviction()).code, 400);
  EXPECT_EQ(client.Post(kEviction, PodBody("p0")).code, 400);
  EXPECT_EQ(client.Get(kEviction).code, 405);
  Json gone = Eviction();
  gone["metadata"]["name"] = "p2";
  EXPECT_EQ(client.Post(std::string(kPods) + "/p2/eviction", gone).code, 404);
  const Json both = {{"metadata", {{"name", "c"}}},
                     {"spec", {{"minAvailable", 1}, {"maxUnavailable", 1}}}};
  const Reply refused = client.Post(kBudgets, both);
  EXPECT_EQ(refused.code, 422);
  EXPECT_NE(refused.message().find("minAvailable and maxUnavailable cannot be both set"),
            std::string::npos);
}

TEST_F(Evictions, AreRefusedWhereTheNamespaceGoes) {
  ASSERT_EQ(client.Delete("/api/v1/namespaces/default").code, 200);
  const Reply reply = client.Post(kEviction, Eviction());
  EXPECT_EQ(reply.code, 403);
  EXPECT_EQ(reply.body["details"]["causes"][0]["reason"], "NamespaceTerminating");
}

}  // namespace
}  // namespace muster::e2e
