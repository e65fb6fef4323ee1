#include <tuple>

#include <gtest/gtest.h>

#include "e2e/apiserver/pod_create.h"
#include "e2e/apiserver/pod_update.h"
#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

TEST(NewPod, GetsDefaults) {
  TestClient client;
  ASSERT_EQ(
      client
          .Post("/apis/scheduling.k8s.io/v1/priorityclasses",
                {{"metadata", {{"name", "high"}}}, {"value", 100}, {"preemptionPolicy", "Never"}})
          .code,
      201);
  Json pod = PodBody("p0");
  pod["spec"]["priorityClassName"] = "high";
  pod["spec"]["containers"][0]["resources"] = {{"limits", {{"nvidia.com/gpu", "8"}, {"cpu", "2"}}},
                                               {"requests", {{"cpu", "1"}}}};
  pod["spec"]["containers"][0]["ports"] = {{{"containerPort", 80}}};
  pod["status"] = {{"phase", "Running"}};
  const Json made = client.Post(kPods, pod).body;
  const Json& spec = made["spec"];
  EXPECT_EQ(spec["containers"][0]["resources"]["requests"],
            Json::parse(R"({"cpu":"1","nvidia.com/gpu":"8"})"));
  EXPECT_EQ(spec["containers"][0]["ports"][0]["protocol"], "TCP");
  EXPECT_EQ(spec["containers"][0]["imagePullPolicy"], "IfNotPresent");
  EXPECT_EQ(spec["priority"], 100);
  EXPECT_EQ(spec["preemptionPolicy"], "Never");
  EXPECT_EQ(spec["schedulerName"], "default-scheduler");
  EXPECT_EQ(spec["terminationGracePeriodSeconds"], 30);
  EXPECT_EQ(spec["restartPolicy"], "Always");
  ASSERT_EQ(spec["tolerations"].size(), 2U);
  EXPECT_EQ(spec["tolerations"][0]["key"], "node.kubernetes.io/not-ready");
  EXPECT_EQ(made["status"], Json::parse(R"({"phase":"Pending","qosClass":"Burstable"})"));
}

TEST(NewPod, WithGatesSaysSo) {
  TestClient client;
  Json pod = PodBody("p0");
  pod["spec"]["schedulingGates"] = {{{"name", "wait"}}};
  const Json made = client.Post(kPods, pod).body;
  const Json& condition = made["status"]["conditions"][0];
  EXPECT_EQ(condition["type"], "PodScheduled");
  EXPECT_EQ(condition["status"], "False");
  EXPECT_EQ(condition["reason"], "SchedulingGated");
  EXPECT_EQ(condition["message"], "Scheduling is blocked due to non-empty scheduling gates");
}

TEST(NewPod, QosClasses) {
  const auto qos = [](const char* resources) {
    Json pod = PodBody("p0");
    pod["spec"]["containers"][0]["resources"] = Json::parse(resources);
    return QosClass(pod);
  };
  EXPECT_EQ(qos("{}"), "BestEffort");
  EXPECT_EQ(qos(R"({"requests":{"nvidia.com/gpu":"1"}})"), "BestEffort");
  EXPECT_EQ(qos(R"({"requests":{"cpu":"1"}})"), "Burstable");
  EXPECT_EQ(qos(R"({"requests":{"cpu":"1","memory":"1Gi"},"limits":{"cpu":"1","memory":"1Gi"}})"),
            "Guaranteed");
}

TEST(NewPod, Refusals) {
  struct Case {
    const char* patch;
    int code;
    const char* text;
  };
  for (const Case& one : std::vector<Case>{
           {R"({"spec":{"containers":[]}})", 422, "spec.containers: Required value"},
           {R"({"spec":{"containers":[{"image":"i"}]}})", 422,
            "spec.containers[0].name: Required value"},
           {R"({"spec":{"containers":[{"name":"a"}]}})", 422,
            "spec.containers[0].image: Required value"},
           {R"({"spec":{"containers":[{"name":"a","image":"i"},{"name":"a","image":"i"}]}})", 422,
            "spec.containers[1].name: Duplicate value: \"a\""},
           {R"({"spec":{"priorityClassName":"none"}})", 403,
            "pods \"p0\" is forbidden: no PriorityClass with name none was found"},
           {R"({"spec":{"priority":5}})", 403,
            "the integer value of priority (5) must not be provided in pod spec; priority "
            "admission "
            "controller computed 0 from the given PriorityClass name"},
           {R"({"spec":{"nodeName":"n","schedulingGates":[{"name":"g"}]}})", 422,
            "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been "
            "cleared"}}) {
    TestClient client;
    Json pod = PodBody("p0");
    pod.merge_patch(Json::parse(one.patch));
    const Reply reply = client.Post(kPods, pod);
    EXPECT_EQ(reply.code, one.code) << one.patch;
    EXPECT_NE(reply.message().find(one.text), std::string::npos) << reply.message();
  }
}

TEST(NewPod, TakesTheGlobalDefaultClass) {
  TestClient client;
  ASSERT_EQ(client
                .Post("/apis/scheduling.k8s.io/v1/priorityclasses",
                      {{"metadata", {{"name", "usual"}}}, {"value", 9}, {"globalDefault", true}})
                .code,
            201);
  const Json made = client.Post(kPods, PodBody("p0")).body;
  EXPECT_EQ(made["spec"]["priorityClassName"], "usual");
  EXPECT_EQ(made["spec"]["priority"], 9);
}

TEST(PodChange, FollowsTheRules) {
  const Json gated = Json::parse(R"({"spec":{"schedulingGates":[{"name":"a"},{"name":"b"}],
      "nodeSelector":{"x":"1"},"tolerations":[{"key":"t","operator":"Exists"}],
      "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
      {"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Exists"}]}]}}}}})");
  const std::string terms =
      "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
      "nodeSelectorTerms";
  const std::vector<std::tuple<std::string, int, std::string>> cases = {
      {R"([{"op":"remove","path":"/spec/schedulingGates/0"}])", 200, ""},
      {R"([{"op":"add","path":"/spec/schedulingGates/-","value":{"name":"c"}}])", 422,
       "spec.schedulingGates: Forbidden: only deletion is allowed, but found new scheduling gate "
       "'c'"},
      {R"([{"op":"add","path":"/spec/nodeSelector/y","value":"2"}])", 200, ""},
      {R"([{"op":"replace","path":"/spec/nodeSelector/x","value":"2"}])", 422,
       "only additions to spec.nodeSelector are allowed"},
      {R"([{"op":"remove","path":"/spec/nodeSelector"}])", 422,
       "only additions to spec.nodeSelector are allowed"},
      {R"([{"op":"add","path":")" + terms +
           R"(/0/matchExpressions/-","value":{"key":"z","operator":"Exists"}}])",
       200, ""},
      {R"([{"op":"remove","path":")" + terms + R"(/0/matchExpressions/0"}])", 422,
       "only additions are allowed (no mutations or deletions)"},
      {R"([{"op":"add","path":")" + terms + R"(/-","value":{}}])", 422,
       "no additions/deletions to non-empty NodeSelectorTerms list are allowed"},
      {R"([{"op":"add","path":"/spec/tolerations/-","value":{"key":"u","operator":"Exists"}}])",
       200, ""},
      {R"([{"op":"add","path":"/spec/tolerations/0/tolerationSeconds","value":5}])", 200, ""},
      {R"([{"op":"remove","path":"/spec/tolerations/0"}])", 422,
       "spec.tolerations: Forbidden: existing toleration can not be modified except its "
       "tolerationSeconds"},
      {R"([{"op":"replace","path":"/spec/containers/0/image","value":"other:2"}])", 200, ""},
      {R"([{"op":"replace","path":"/spec/containers/0/name","value":"other"}])", 422,
       "pod updates may not change fields other than"},
      {R"([{"op":"replace","path":"/spec/schedulerName","value":"other"}])", 422,
       "pod updates may not change fields other than"},
      {R"([{"op":"replace","path":"/spec/priority","value":5}])", 422,
       "pod updates may not change fields other than"},
      {R"([{"op":"add","path":"/spec/nodeName","value":"n"}])", 422,
       "pod updates may not change fields other than"},
      {R"([{"op":"add","path":"/spec/activeDeadlineSeconds","value":5}])", 200, ""},
      {R"([{"op":"remove","path":"/spec"}])", 400, "spec: expected an object"}};
  for (const auto& [patch, code, text] : cases) {
    TestClient client;
    Json pod = PodBody("p0");
    pod.merge_patch(gated);
    ASSERT_EQ(client.Post(kPods, pod).code, 201);
    const Reply reply = client.Patch("json", kPod, Json::parse(patch));
    EXPECT_EQ(reply.code, code) << patch << reply.text;
    EXPECT_NE(reply.message().find(text), std::string::npos) << reply.message();
    if (code != 200) continue;
    EXPECT_EQ(reply.body["metadata"]["generation"], 2) << patch;
  }
}

TEST(PodChange, NodeSelectionIsFixedWithoutGates) {
  TestClient client;
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  EXPECT_EQ(client.Patch("merge", kPod, {{"spec", {{"nodeSelector", {{"a", "b"}}}}}}).code, 422);
}

TEST(PodChange, StatusHasLimitsToo) {
  TestClient client;
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  EXPECT_EQ(
      client
          .Patch("merge", std::string(kPod) + "/status", {{"status", {{"nominatedNodeName", "n"}}}})
          .code,
      200);
  ASSERT_EQ(client.Post(std::string(kPod) + "/binding", BindingBody("p0", "n")).code, 201);
  EXPECT_EQ(
      client
          .Patch("merge", std::string(kPod) + "/status", {{"status", {{"nominatedNodeName", "m"}}}})
          .code,
      422);
  EXPECT_EQ(
      client
          .Patch("merge", std::string(kPod) + "/status", {{"status", {{"qosClass", "Burstable"}}}})
          .code,
      422);
}

}  // namespace
}  // namespace muster::e2e
