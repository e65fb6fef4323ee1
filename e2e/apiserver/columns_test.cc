#include "e2e/apiserver/columns.h"

#include <gtest/gtest.h>

#include "e2e/apiserver/load.h"
#include "e2e/apiserver/test_client.h"
#include "e2e/apiserver/test_crds.h"
#include "e2e/apiserver/yaml.h"

namespace muster::e2e {
namespace {

// "name|cell|cell" per row.
std::string Rows(const Json& table) {
  std::string text;
  for (const Json& row : table["rows"]) {
    for (const Json& cell : row["cells"]) {
      text += (cell.is_string() ? cell.get<std::string>() : Dump(cell)) + "|";
    }
    text += "\n";
  }
  return text;
}

std::string Head(const Json& table) {
  std::string text;
  for (const Json& column : table["columnDefinitions"]) {
    text += column["name"].get<std::string>() + (column["priority"] == 0 ? "|" : "+|");
  }
  return text;
}

TEST(Columns, OfPods) {
  TestClient client;
  Json gated = PodBody("gated");
  gated["spec"]["schedulingGates"] = {{{"name", "wait"}}};
  ASSERT_EQ(client.Post(kPods, PodBody("bound")).code, 201);
  ASSERT_EQ(client.Post(kPods, PodBody("done")).code, 201);
  ASSERT_EQ(client.Post(kPods, PodBody("going")).code, 201);
  ASSERT_EQ(client.Post(kPods, gated).code, 201);
  for (const char* name : {"bound", "done", "going"}) {
    ASSERT_EQ(
        client.Post(std::string(kPods) + "/" + name + "/binding", BindingBody(name, "n1")).code,
        201);
  }
  ASSERT_EQ(client
                .Patch("merge", std::string(kPods) + "/bound/status",
                       Json::parse(R"({"status":{"phase":"Running","podIP":"10.0.0.1",
                             "containerStatuses":[{"ready":true,"restartCount":2}]}})"))
                .code,
            200);
  ASSERT_EQ(client
                .Patch("merge", std::string(kPods) + "/done/status",
                       Json::parse(R"({"status":{"phase":"Succeeded","containerStatuses":[
                             {"state":{"terminated":{"reason":"Completed","exitCode":0}}}]}})"))
                .code,
            200);
  ASSERT_EQ(client.Delete(std::string(kPods) + "/going").code, 200);
  client.now_ms += 125'000;
  const Json table = client.Table(kPods).body;
  EXPECT_EQ(table["kind"], "Table");
  EXPECT_EQ(Head(table),
            "Name|Ready|Status|Restarts|Age|IP+|Node+|Nominated Node+|Readiness Gates+|");
  EXPECT_EQ(Rows(table),
            "bound|1/1|Running|2|2m5s|10.0.0.1|n1|<none>|<none>|\n"
            "done|0/1|Completed|0|2m5s|<none>|n1|<none>|<none>|\n"
            "gated|0/1|SchedulingGated|0|2m5s|<none>|<none>|<none>|<none>|\n"
            "going|0/1|Terminating|0|2m5s|<none>|n1|<none>|<none>|\n");
  EXPECT_EQ(table["rows"][0]["object"]["kind"], "PartialObjectMetadata");
  EXPECT_EQ(client.Table(std::string(kPods) + "?includeObject=Object")
                .body["rows"][0]["object"]["spec"]["nodeName"],
            "n1");
  EXPECT_FALSE(
      client.Table(std::string(kPods) + "?includeObject=None").body["rows"][0].contains("object"));
  EXPECT_EQ(client.Table(std::string(kPods) + "/bound").body["rows"].size(), 1U);
}

TEST(Columns, OfNodes) {
  TestClient client;
  ASSERT_EQ(client
                .Post("/api/v1/nodes", Json::parse(R"({"metadata":{"name":"a","labels":
      {"node-role.kubernetes.io/gpu":""}},"spec":{"unschedulable":true}})"))
                .code,
            201);
  ASSERT_EQ(client.Post("/api/v1/nodes", {{"metadata", {{"name", "b"}}}}).code, 201);
  ASSERT_EQ(client
                .Patch("strategic-merge", "/api/v1/nodes/a/status",
                       Json::parse(R"({"status":{"conditions":[{"type":"Ready","status":"True"}],
                             "nodeInfo":{"kubeletVersion":"v1"},
                             "addresses":[{"type":"InternalIP","address":"10.0.0.7"}]}})"))
                .code,
            200);
  const Json table = client.Table("/api/v1/nodes").body;
  EXPECT_EQ(Rows(table),
            "a|Ready,SchedulingDisabled|gpu|0s|v1|10.0.0.7|<none>|<unknown>|<unknown>|<unknown>|\n"
            "b|Unknown|<none>|0s||<none>|<none>|<unknown>|<unknown>|<unknown>|\n");
}

TEST(Columns, OfTheSmallKinds) {
  TestClient client;
  EXPECT_EQ(Rows(client.Table("/api/v1/namespaces/default").body), "default|Active|0s|\n");
  ASSERT_EQ(client
                .Post("/apis/scheduling.k8s.io/v1/priorityclasses",
                      {{"metadata", {{"name", "high"}}}, {"value", 7}, {"globalDefault", true}})
                .code,
            201);
  EXPECT_EQ(Rows(client.Table("/apis/scheduling.k8s.io/v1/priorityclasses/high").body),
            "high|7|true|0s|PreemptLowerPriority|\n");
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  ASSERT_EQ(
      client.Post(leases, {{"metadata", {{"name", "l"}}}, {"spec", {{"holderIdentity", "me"}}}})
          .code,
      201);
  EXPECT_EQ(Rows(client.Table(leases).body), "l|me|0s|\n");
}

TEST(Columns, OfDisruptionBudgets) {
  TestClient client;
  const std::string budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
  const auto make = [&](const char* name, const Json& spec) {
    ASSERT_EQ(client.Post(budgets, {{"metadata", {{"name", name}}}, {"spec", spec}}).code, 201);
  };
  make("least", {{"minAvailable", 2}});
  make("most", {{"maxUnavailable", "10%"}});
  ASSERT_EQ(
      client.Patch("merge", budgets + "/most/status", {{"status", {{"disruptionsAllowed", 3}}}})
          .code,
      200);
  const Json table = client.Table(budgets).body;
  EXPECT_EQ(Head(table), "Name|Min Available|Max Unavailable|Allowed Disruptions|Age|");
  EXPECT_EQ(Rows(table), "least|2|N/A|0|0s|\nmost|N/A|10%|3|0s|\n");
}

TEST(Columns, OfEvents) {
  TestClient client;
  const std::string events = "/api/v1/namespaces/default/events";
  ASSERT_EQ(client
                .Post(events, Json::parse(R"({"metadata":{"name":"e"},"type":"Normal",
      "reason":"Started","message":"m","involvedObject":{"kind":"PodGroup","name":"a"},
      "source":{"component":"kubelet","host":"n1"},
      "firstTimestamp":"2026-09-21T14:13:00Z","lastTimestamp":"2026-09-21T14:13:10Z","count":3})"))
                .code,
            201);
  const Json table = client.Table(events).body;
  EXPECT_EQ(Head(table),
            "Last Seen|Type|Reason|Object|Subobject+|Source+|Message|First Seen+|Count+|Name+|");
  EXPECT_EQ(Rows(table), "10s|Normal|Started|podgroup/a||kubelet, n1|m|20s|3|e|\n");
}

TEST(Columns, OfCustomKinds) {
  Backend backend(8, 1, [] { return std::int64_t{0}; });
  const auto documents = ReadYaml(kGangCrd);
  ASSERT_TRUE(documents.ok());
  ASSERT_EQ(AddCrd(backend, documents.value()[0]), "");
  const Kind* kind = backend.kinds.Find("test.dev", "v1", "gangs");
  ASSERT_NE(kind, nullptr);
  std::string head;
  for (const auto& column : ColumnsOf(*kind)) head += column.name + "|";
  EXPECT_EQ(head, "Name|Queue|Min|Active|Age|Message|");
  const Json cells = CellsOf(*kind, Json::parse(R"({"metadata":{"name":"g",
      "creationTimestamp":"1970-01-01T00:00:00Z"},"spec":{"minMember":4},
      "status":{"conditions":[{"type":"Active","status":"True"}]}})"),
                             90'000);
  EXPECT_EQ(Dump(cells), R"(["g",null,4,"True","90s",null])");
}

TEST(Table, FollowsAWatch) {
  TestClient client;
  Frames frames;
  HttpRequest request = TestClient::Make("GET", std::string(kPods) + "?watch=1");
  request.accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  ASSERT_NE(client.server.Subscribe(request, frames.sink(), {}).id, 0U);
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  ASSERT_EQ(client.Delete(std::string(kPods) + "/p0").code, 200);
  ASSERT_EQ(frames.all.size(), 2U);
  EXPECT_EQ(frames.all[0]["object"]["kind"], "Table");
  EXPECT_EQ(frames.all[0]["object"]["rows"][0]["cells"][0], "p0");
  EXPECT_EQ(frames.all[1]["type"], "DELETED");
}

}  // namespace
}  // namespace muster::e2e
