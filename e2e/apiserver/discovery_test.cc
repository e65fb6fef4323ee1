#include "e2e/apiserver/discovery.h"

#include <gtest/gtest.h>

#include "e2e/apiserver/load.h"
#include "e2e/apiserver/test_client.h"
#include "e2e/apiserver/test_crds.h"
#include "e2e/apiserver/yaml.h"

namespace muster::e2e {
namespace {

TEST(Discovery, AnswersWhatClientsAskFirst) {
  TestClient client;
  EXPECT_EQ(client.Get("/version").body["minor"], "34");
  EXPECT_EQ(client.Get("/api").body["versions"][0], "v1");
  for (const char* path : {"/healthz", "/readyz", "/livez"}) {
    EXPECT_EQ(client.Get(path).text, "ok");
  }
  std::string groups;
  const Json group_list = client.Get("/apis").body;
  for (const Json& group : group_list["groups"]) {
    groups += group["name"].get<std::string>() + " " +
              group["preferredVersion"]["groupVersion"].get<std::string>() + "\n";
  }
  EXPECT_EQ(groups,
            "scheduling.k8s.io scheduling.k8s.io/v1\ncoordination.k8s.io coordination.k8s.io/v1\n"
            "batch batch/v1\napps apps/v1\npolicy policy/v1\n"
            "apiextensions.k8s.io "
            "apiextensions.k8s.io/v1\nevents.k8s.io events.k8s.io/v1\n");
  EXPECT_EQ(client.Get("/apis/events.k8s.io").body["kind"], "APIGroup");
  std::string core;
  const Json resource_list = client.Get("/api/v1").body;
  for (const Json& resource : resource_list["resources"]) {
    core += resource["name"].get<std::string>() + " ";
  }
  EXPECT_EQ(core,
            "pods pods/binding pods/eviction pods/status bindings nodes nodes/status namespaces "
            "namespaces/status events ");
  for (const char* path : {"/openapi/v2", "/apis/other", "/apis/other/v1", "/metrics", "/"}) {
    EXPECT_EQ(client.Get(path).code, 404) << path;
  }
}

TEST(Discovery, OpenApiHasAnOperationPerVerb) {
  KindTable kinds;
  Backend backend(8, 1, [] { return std::int64_t{0}; });
  const auto documents = ReadYaml(kGangCrd);
  ASSERT_TRUE(documents.ok());
  ASSERT_EQ(AddCrd(backend, documents.value()[0]), "");
  const auto get = [&](const std::string& path) {
    const auto answer = AnswerDiscovery(backend.kinds, TestClient::Make("GET", path));
    return answer ? Json::parse(answer->body) : Json();
  };
  const Json index = get("/openapi/v3");
  const std::string url = index["paths"]["apis/test.dev/v1"]["serverRelativeURL"];
  EXPECT_TRUE(url.starts_with("/openapi/v3/apis/test.dev/v1?hash="));
  const Json document = get("/openapi/v3/apis/test.dev/v1");
  const Json& item = document["paths"]["/apis/test.dev/v1/namespaces/{namespace}/gangs/{name}"];
  EXPECT_EQ(item["patch"]["x-kubernetes-group-version-kind"]["kind"], "Gang");
  EXPECT_EQ(item["patch"]["parameters"][2]["name"], "fieldValidation");
  EXPECT_TRUE(document["components"]["schemas"]["test.dev.v1.Gang"]["properties"].contains("spec"));
  const Json& gang = document["components"]["schemas"]["test.dev.v1.Gang"];
  const std::string meta = gang["properties"]["metadata"]["allOf"][0]["$ref"];
  EXPECT_TRUE(document.contains(Json::json_pointer(meta.substr(1) + "/properties/labels")));
  EXPECT_FALSE(StringAt(gang, {"properties", "kind", "description"}).empty());
  const Json core = get("/openapi/v3/api/v1");
  EXPECT_EQ(core.value(Json::json_pointer("/components/schemas/core.v1.Pod/properties/spec/"
                                          "properties/containers/items/properties/resources/"
                                          "properties/limits/additionalProperties/type"),
                       ""),
            "string");
  EXPECT_TRUE(core["paths"].contains("/api/v1/nodes/{name}"));
  EXPECT_TRUE(get("/openapi/v3/apis/none/v1").is_null());
}

// "pods Namespaced Pod: binding eviction status".
std::string ResourceLine(const Json& resource) {
  std::string line = StringAt(resource, {"resource"}) + " " + StringAt(resource, {"scope"}) + " " +
                     StringAt(resource, {"responseKind", "kind"}) + ":";
  for (const Json& one : resource.value("subresources", Json::array())) {
    line += " " + StringAt(one, {"subresource"});
  }
  return line;
}

TEST(Discovery, TellsAllGroupsAtOnceToWhoAsksForThat) {
  constexpr const char* kOld = "application/json";
  constexpr const char* kNew =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  constexpr const char* kBeta =
      "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
  const std::string all = std::string(kNew) + "," + kBeta + "," + kOld;
  TestClient client;
  const auto ask = [&](const char* path, const std::string& accept) {
    HttpRequest request = TestClient::Make("GET", path);
    request.accept = accept;
    return client.server.Handle(request);
  };
  EXPECT_EQ(ask("/api", all).content_type, kNew);
  EXPECT_EQ(ask("/apis", std::string(kBeta) + "," + kOld).content_type, kBeta);
  EXPECT_EQ(ask("/apis", std::string(kOld) + "," + kNew).content_type, kOld);
  EXPECT_EQ(ask("/apis", "").content_type, kOld);
  const Json core = Json::parse(ask("/api", all).body);
  EXPECT_EQ(core["kind"], "APIGroupDiscoveryList");
  EXPECT_EQ(core["apiVersion"], "apidiscovery.k8s.io/v2");
  ASSERT_EQ(core["items"].size(), 1U);
  EXPECT_FALSE(core["items"][0]["metadata"].contains("name"));
  std::string lines;
  for (const Json& resource : core["items"][0]["versions"][0]["resources"]) {
    lines += ResourceLine(resource) + "\n";
  }
  EXPECT_EQ(lines,
            "pods Namespaced Pod: binding eviction status\nnodes Cluster Node: status\n"
            "namespaces Cluster Namespace: status\nevents Namespaced Event:\n"
            "bindings Namespaced Binding:\n");
  const Json others = Json::parse(ask("/apis", all).body);
  EXPECT_EQ(others["items"].size(), client.Get("/apis").body["groups"].size());
  EXPECT_EQ(others["items"][2]["metadata"]["name"], "batch");
  EXPECT_EQ(others["items"][2]["versions"][0]["version"], "v1");
}

}  // namespace
}  // namespace muster::e2e
