#include "e2e/apiserver/patch.h"

#include <gtest/gtest.h>

#include "e2e/apiserver/strategic.h"
#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

TEST(StrategicMerge, MergesByKeys) {
  struct Case {
    const char* what;
    const char* object;
    const char* patch;
    const char* result;
  };
  const std::vector<Case> cases = {
      {"objects", R"({"a":{"b":1,"c":2}})", R"({"a":{"b":null,"d":3}})", R"({"a":{"c":2,"d":3}})"},
      {"conditions of others stay",
       R"({"conditions":[{"type":"Ready","status":"True"},{"type":"X","status":"False","reason":"r"}]})",
       R"({"conditions":[{"type":"X","status":"True","reason":null},{"type":"New"}]})",
       R"({"conditions":[{"type":"Ready","status":"True"},{"type":"X","status":"True"},{"type":"New"}]})"},
      {"order directives only arrange", R"({"conditions":[{"type":"A"}]})",
       R"({"$setElementOrder/conditions":[{"type":"A"}],"conditions":[{"type":"A","status":"True"}]})",
       R"({"conditions":[{"type":"A","status":"True"}]})"},
      {"delete", R"({"taints":[{"key":"a"},{"key":"b"}]})",
       R"({"taints":[{"key":"a","$patch":"delete"}]})", R"({"taints":[{"key":"b"}]})"},
      {"replace a list", R"({"taints":[{"key":"a"}]})",
       R"({"taints":[{"$patch":"replace"},{"key":"c"}]})", R"({"taints":[{"key":"c"}]})"},
      {"replace an object", R"({"spec":{"a":1}})", R"({"spec":{"$patch":"replace","b":2}})",
       R"({"spec":{"b":2}})"},
      {"nested keys",
       R"({"containers":[{"name":"m","env":[{"name":"A","value":"1"}],"ports":[{"containerPort":1}]}]})",
       R"({"containers":[{"name":"m","env":[{"name":"A","value":"2"},{"name":"B","value":"3"}],
           "ports":[{"containerPort":2}]}]})",
       R"({"containers":[{"name":"m","env":[{"name":"A","value":"2"},{"name":"B","value":"3"}],
           "ports":[{"containerPort":1},{"containerPort":2}]}]})"},
      {"lists without a key are replaced", R"({"tolerations":[{"key":"a"}]})",
       R"({"tolerations":[{"key":"b","x":null}]})", R"({"tolerations":[{"key":"b"}]})"},
      {"lists of scalars that merge", R"({"finalizers":["a"]})", R"({"finalizers":["b","a"]})",
       R"({"finalizers":["a","b"]})"},
      {"and lose", R"({"finalizers":["a","b"]})",
       R"({"$deleteFromPrimitiveList/finalizers":["a"]})", R"({"finalizers":["b"]})"},
      {"a new object without nulls", "{}", R"({"a":{"b":null,"c":{"d":null,"e":1}}})",
       R"({"a":{"c":{"e":1}}})"}};
  for (const Case& one : cases) {
    Json object = Json::parse(one.object);
    EXPECT_EQ(StrategicMerge(object, Json::parse(one.patch)), "") << one.what;
    EXPECT_EQ(object, Json::parse(one.result)) << one.what;
  }
  Json object = Json::object();
  EXPECT_NE(StrategicMerge(object, Json::parse(R"({"taints":[{"value":"x"}]})")), "");
}

TEST(Patch, AnswersByContentType) {
  TestClient client;
  const std::string path = std::string(kPods) + "/p0";
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  struct Case {
    const char* type;
    const char* body;
    int code;
  };
  for (const Case& one : std::vector<Case>{
           {"application/json-patch+json", R"([{"op":"add","path":"/metadata/labels","value":{}}])",
            200},
           {"application/json-patch+json", R"([{"op":"test","path":"/kind","value":"Node"}])", 422},
           {"application/json-patch+json", R"([{"op":"remove","path":"/none"}])", 422},
           {"application/json-patch+json", R"([{"op":"other","path":"/kind"}])", 422},
           {"application/json-patch+json", R"([{"op":"replace","path":"","value":3}])", 422},
           {"application/json-patch+json", "{}", 400},
           {"application/merge-patch+json", "[]", 400},
           {"application/merge-patch+json", "{", 400},
           {"application/merge-patch+json; charset=utf-8", "{}", 200},
           {"application/strategic-merge-patch+json", R"({"spec":{"containers":[{"image":"x"}]}})",
            400},
           {"application/merge-patch+json", R"({"metadata":{"name":"other"}})", 400},
           {"application/merge-patch+json", R"({"metadata":{"resourceVersion":"1"}})", 409},
           {"application/merge-patch+json", R"({"metadata":3})", 400},
           {"application/merge-patch+json", R"({"kind":"Node"})", 400},
           {"application/apply-patch+yaml", "{}", 415},
           {"application/json", "{}", 415},
           {"application/vnd.kubernetes.protobuf", "", 415}}) {
    HttpRequest request = TestClient::Make("PATCH", path);
    request.content_type = one.type;
    request.body = one.body;
    const Reply reply = client.Send(request);
    EXPECT_EQ(reply.code, one.code) << one.type << " " << one.body << " " << reply.text;
  }
  EXPECT_EQ(client.Patch("merge", std::string(kPods) + "/none", Json::object()).code, 404);
}

// One operation puts a part of what the ones before have made into another part.
TEST(Patch, AShortOneMakesNoEndlessObject) {
  TestClient client;
  const std::string node = "/api/v1/nodes/n0";
  ASSERT_EQ(client.Post("/api/v1/nodes", {{"metadata", {{"name", "n0"}}}}).code, 201);
  const auto copies = [](int times, const std::string& from, const std::string& below) {
    Json patch = Json::array();
    patch.push_back({{"op", "add"}, {"path", from}, {"value", {{"k", "v"}}}});
    std::string to = from;
    for (int i = 0; i < times; ++i) {
      to += below;
      patch.push_back({{"op", "copy"}, {"from", from}, {"path", to}});
    }
    return patch;
  };
  EXPECT_EQ(client.Patch("json", node, copies(7, "/spec/x", "/a")).code, 200);
  EXPECT_GT(DepthOf(client.Get(node).body), 20);
  EXPECT_EQ(client.Patch("json", node, copies(40, "/spec/x", "/a")).code, 422) << "deep";

  Json wide = Json::array();
  wide.push_back(
      {{"op", "add"}, {"path", "/spec/y"}, {"value", Json::array({std::string(100, 'y')})}});
  for (int i = 0; i < 40; ++i) {
    wide.push_back({{"op", "copy"}, {"from", "/spec/y"}, {"path", "/spec/y/-"}});
  }
  EXPECT_EQ(client.Patch("json", node, wide).code, 422) << "wide";
  EXPECT_FALSE(client.Get(node).body["spec"].contains("y"));
}

}  // namespace
}  // namespace muster::e2e
