#include "e2e/apiserver/binding.h"

#include <gtest/gtest.h>

#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

constexpr const char* kBinding = "/api/v1/namespaces/default/pods/p0/binding";

struct Bindings : ::testing::Test {
  TestClient client;
  Json pod;
  void SetUp() override { pod = client.Post(kPods, PodBody("p0")).body; }
  Json Get() { return client.Get(std::string(kPods) + "/p0").body; }
};

TEST_F(Bindings, GivesThePodItsNodeInOneVersion) {
  Json body = BindingBody("p0", "node-1");
  body["metadata"]["uid"] = pod["metadata"]["uid"];
  body["metadata"]["resourceVersion"] = pod["metadata"]["resourceVersion"];
  body["metadata"]["annotations"] = {{"muster.dev/journal", "p-0/1"}};
  body["metadata"]["labels"] = {{"dropped", "yes"}};
  const Reply reply = client.Post(kBinding, body);
  EXPECT_EQ(reply.code, 201);
  EXPECT_EQ(reply.body,
            Json::parse(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",
                            "code":201})"));
  const Json bound = Get();
  EXPECT_EQ(bound["spec"]["nodeName"], "node-1");
  EXPECT_EQ(bound["metadata"]["annotations"]["muster.dev/journal"], "p-0/1");
  EXPECT_FALSE(bound["metadata"].contains("labels"));
  EXPECT_EQ(bound["status"]["conditions"][0]["type"], "PodScheduled");
  EXPECT_EQ(bound["status"]["conditions"][0]["status"], "True");
  EXPECT_EQ(bound["metadata"]["generation"], 1);
  EXPECT_EQ(std::stoi(bound["metadata"]["resourceVersion"].get<std::string>()),
            std::stoi(pod["metadata"]["resourceVersion"].get<std::string>()) + 1);
}

struct Refused {
  const char* name;
  const char* patch;  // Merge patch on the Binding.
  int code;
  const char* text;  // Held by the message.
};

TEST_F(Bindings, RefusesWhatDoesNotApply) {
  const std::vector<Refused> cases = {
      {"uid", R"({"metadata":{"uid":"0000"}})", 409,
       "Operation cannot be fulfilled on pods \"p0\": StorageError: invalid object, Code: 4, Key: "
       "/registry/pods/default/p0, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: "
       "UID in precondition: 0000, UID in object meta: "},
      {"version", R"({"metadata":{"resourceVersion":"0"}})", 409,
       "Precondition failed: ResourceVersion in precondition: 0, ResourceVersion in object meta: "},
      {"kind of target", R"({"target":{"kind":"Pod"}})", 500,
       "target.kind: Unsupported value: \"Pod\": supported values: \"Node\", \"<empty>\""},
      {"no target", R"({"target":null})", 500, "target.name: Required value"},
      {"name", R"({"metadata":{"name":"p1"}})", 400,
       "name in URL does not match name in Binding object"},
      {"kind of body", R"({"kind":"Pod"})", 400,
       "Pod in version \"v1\" cannot be handled as a Binding"}};
  for (const Refused& one : cases) {
    Json body = BindingBody("p0", "node-1");
    body.merge_patch(Json::parse(one.patch));
    const Reply reply = client.Post(kBinding, body);
    EXPECT_EQ(reply.code, one.code) << one.name;
    EXPECT_NE(reply.message().find(one.text), std::string::npos) << reply.text;
    EXPECT_EQ(Get(), pod) << one.name;
  }
}

TEST_F(Bindings, RefusesASecondNodeAndTheSameAgain) {
  ASSERT_EQ(client.Post(kBinding, BindingBody("p0", "node-1")).code, 201);
  const Reply again = client.Post(kBinding, BindingBody("p0", "node-1"));
  EXPECT_EQ(again.code, 409);
  EXPECT_EQ(again.message(),
            "Operation cannot be fulfilled on pods/binding \"p0\": pod p0 is already assigned to "
            "node \"node-1\"");
  EXPECT_EQ(again.body["details"]["kind"], "pods/binding");
}

TEST_F(Bindings, RefusesGonePodsGatedPodsAndPodsThatGo) {
  const Reply gone =
      client.Post("/api/v1/namespaces/default/pods/x/binding", BindingBody("x", "node-1"));
  EXPECT_EQ(gone.code, 404);
  EXPECT_EQ(gone.message(), "pods \"x\" not found");

  Json gated = PodBody("g");
  gated["spec"]["schedulingGates"] = {{{"name", "wait"}}};
  ASSERT_EQ(client.Post(kPods, gated).code, 201);
  EXPECT_EQ(
      client.Post("/api/v1/namespaces/default/pods/g/binding", BindingBody("g", "n")).message(),
      "Operation cannot be fulfilled on pods/binding \"g\": pod g has non-empty "
      ".spec.schedulingGates");

  ASSERT_EQ(client.Post(kBinding, BindingBody("p0", "node-1")).code, 201);
  ASSERT_EQ(client.Delete(std::string(kPods) + "/p0").code, 200);
  EXPECT_EQ(client.Post(kBinding, BindingBody("p0", "node-1")).message(),
            "Operation cannot be fulfilled on pods/binding \"p0\": pod p0 is being deleted, cannot "
            "be assigned to a host");
}

TEST_F(Bindings, LegacyPathAndDryRun) {
  EXPECT_EQ(client.Post(std::string(kBinding) + "?dryRun=All", BindingBody("p0", "n")).code, 201);
  EXPECT_EQ(Get(), pod);
  EXPECT_EQ(client.Post("/api/v1/namespaces/default/bindings", BindingBody("p0", "n")).code, 201);
  EXPECT_EQ(Get()["spec"]["nodeName"], "n");
}

TEST_F(Bindings, TurnsAFalseConditionTrue) {
  const Json patch = Json::parse(R"({"status":{"conditions":[{"type":"PodScheduled",
      "status":"False","reason":"Unschedulable","message":"no","lastTransitionTime":
      "2026-01-01T00:00:00Z"}]}})");
  ASSERT_EQ(client.Patch("strategic-merge", std::string(kPods) + "/p0/status", patch).code, 200);
  ASSERT_EQ(client.Post(kBinding, BindingBody("p0", "n")).code, 201);
  const Json condition = Get()["status"]["conditions"][0];
  EXPECT_EQ(condition["status"], "True");
  EXPECT_FALSE(condition.contains("reason"));
  EXPECT_NE(condition["lastTransitionTime"], "2026-01-01T00:00:00Z");
}

}  // namespace
}  // namespace muster::e2e
