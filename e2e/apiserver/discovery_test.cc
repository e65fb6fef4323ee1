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
            "pods pods/status pods/binding bindings nodes nodes/status namespaces "
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
    const auto answer = AnswerDiscovery(backend.kinds, path);
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
  EXPECT_TRUE(get("/openapi/v3/api/v1")["paths"].contains("/api/v1/nodes/{name}"));
  EXPECT_TRUE(get("/openapi/v3/apis/none/v1").is_null());
}

}  // namespace
}  // namespace muster::e2e
