#include "e2e/apiserver/crd.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "e2e/apiserver/test_client.h"
#include "e2e/apiserver/test_crds.h"
#include "e2e/paths/paths.h"

namespace muster::e2e {
namespace {

namespace fs = std::filesystem;

const std::string kGang = std::string(kGangs) + "/g";

std::string WriteFolder(const std::string& name, const std::string& text) {
  const fs::path folder = fs::temp_directory_path() / (name + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "crd.yaml") << text;
  return folder.string();
}

Json Gang(const Json& spec) {
  return {{"apiVersion", "test.dev/v1"},
          {"kind", "Gang"},
          {"metadata", {{"name", "g"}}},
          {"spec", spec}};
}

struct Customs : ::testing::Test {
  TestClient client;
  void SetUp() override {
    const std::string folder = WriteFolder("crd_test", kGangCrd);
    ASSERT_EQ(client.server.LoadCrds(folder), "");
    fs::remove_all(folder);
  }
};

TEST_F(Customs, FillsDefaultsAndDropsStatus) {
  Json gang = Gang({{"resources", {{{"name", "cpu"}}}}});
  gang["status"] = {{"message", "forged"}};
  const Reply reply = client.Post(kGangs, gang);
  ASSERT_EQ(reply.code, 201) << reply.text;
  EXPECT_EQ(reply.body["spec"], Json::parse(R"({"minMember":1,"mode":"None","share":{"weight":3},
      "resources":[{"name":"cpu","flavor":""}]})"));
  EXPECT_FALSE(reply.body.contains("status"));
  EXPECT_EQ(reply.body["metadata"]["generation"], 1);
}

TEST_F(Customs, RefusesInTheWordsOfTheServer) {
  const std::string more =
      ", <nil>: Invalid value: null: some validation rules were not checked because the object was "
      "invalid; correct the existing errors to complete validation]";
  const std::vector<std::pair<const char*, std::string>> cases = {
      {R"({"minMember":0})",
       "spec.minMember: Invalid value: 0: spec.minMember in body should be greater than or equal "
       "to 1"},
      {R"({"minMember":101})",
       "spec.minMember: Invalid value: 101: spec.minMember in body should be less than or equal to "
       "100"},
      {R"({"minMember":"4"})",
       "[spec.minMember: Invalid value: \"string\": spec.minMember in body must be of type "
       "integer: \"string\"" +
           more},
      {R"({"minMember":1.5})",
       "[spec.minMember: Invalid value: \"number\": spec.minMember in body must be of type "
       "integer: \"number\"" +
           more},
      {R"({"mode":"Explode"})",
       "[spec.mode: Unsupported value: \"Explode\": supported values: \"Hold\", \"None\"" + more},
      {R"({"queue":"abcdefghi"})", "[spec.queue: Too long: may not be more than 8 bytes" + more},
      {R"({"queue":"Ab"})",
       "spec.queue: Invalid value: \"Ab\": spec.queue in body should match '^[a-z]+$'"},
      {R"({"resources":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]})",
       "[spec.resources: Too many: 4: must have at most 3 items" + more},
      {R"({"resources":[{"name":"a"},{"name":"a","flavor":""}]})",
       "spec.resources[1]: Duplicate value: {\"flavor\":\"\",\"name\":\"a\"}"},
      {R"({"resources":[{"flavor":"x"}]})", "[spec.resources[0].name: Required value" + more},
      {R"({"resources":[{"name":"a","quota":-1}]})",
       "spec.resources[0].quota: Invalid value: -1: spec.resources[0].quota in body should be "
       "greater than or equal to 0"},
      {R"({"resources":[{"name":"a","quota":"lots"}]})",
       "spec.resources[0].quota: Invalid value: \"lots\": spec.resources[0].quota in body should "
       "match '^[0-9]+(Gi)?$'"},
      {R"({"resources":[{"name":"a","quota":1.5}]})",
       "[spec.resources[0].quota: Invalid value: \"number\": spec.resources[0].quota in body must "
       "be of type integer,string: \"number\", <nil>: Invalid value: \"\": "
       "\"spec.resources[0].quota\" must validate at least one schema (anyOf), "
       "spec.resources[0].quota: Invalid value: \"number\": spec.resources[0].quota in body must "
       "be of type integer: \"number\"" +
           more},
      {R"({"selector":{"a":"12345"}})",
       "[spec.selector.a: Too long: may not be more than 4 bytes" + more},
      {R"({"pair":{"a":true}})", "spec.pair: Invalid value: \"object\": a and b go together"}};
  for (const auto& [spec, text] : cases) {
    const Reply reply = client.Post(kGangs, Gang(Json::parse(spec)));
    EXPECT_EQ(reply.code, 422) << spec;
    EXPECT_EQ(reply.message(), "Gang.test.dev \"g\" is invalid: " + text);
    EXPECT_EQ(reply.body["details"]["kind"], "Gang");
  }
}

TEST_F(Customs, RefusesNoSpecAndALongName) {
  Json gang = Gang({});
  gang.erase("spec");
  EXPECT_TRUE(client.Post(kGangs, gang)
                  .message()
                  .starts_with("Gang.test.dev \"g\" is invalid: [spec: Required value, <nil>: "));
  gang["spec"] = Json::object();
  gang["metadata"]["name"] = "abcdefghijk";
  EXPECT_EQ(client.Post(kGangs, gang).message(),
            "Gang.test.dev \"abcdefghijk\" is invalid: <nil>: Invalid value: \"object\": at most "
            "10 characters");
  gang.erase("kind");
  EXPECT_EQ(client.Post(kGangs, gang).code, 400);
}

TEST_F(Customs, UnknownFieldsAreRefusedWarnedOfOrDropped) {
  const Json gang = Gang({{"minMembers", 4}, {"share", {{"x", 1}}}});
  const Reply strict = client.Post(std::string(kGangs) + "?fieldValidation=Strict", gang);
  EXPECT_EQ(strict.code, 400);
  EXPECT_EQ(strict.message(),
            "Gang in version \"v1\" cannot be handled as a Gang: strict decoding error: unknown "
            "field \"spec.minMembers\", unknown field \"spec.share.x\"");
  const Reply warn = client.Post(kGangs, gang);
  EXPECT_EQ(warn.code, 201);
  ASSERT_EQ(warn.headers.size(), 2U);
  EXPECT_EQ(warn.headers[0].first, "Warning");
  EXPECT_EQ(warn.headers[0].second, "299 - \"unknown field \\\"spec.minMembers\\\"\"");
  EXPECT_FALSE(warn.body["spec"].contains("minMembers"));
  const Reply ignore = client.Put(kGang + "?fieldValidation=Ignore", warn.body);
  EXPECT_TRUE(ignore.headers.empty());
  EXPECT_EQ(client.Put(kGang + "?fieldValidation=Some", warn.body).code, 422);
}

TEST_F(Customs, StatusAndSpecAreApart) {
  const Json made = client.Post(kGangs, Gang({{"queue", "a"}})).body;
  const Reply status = client.Patch("merge", kGang + "/status",
                                    {{"status", {{"message", "m"}}},
                                     {"spec", {{"queue", "b"}}},
                                     {"metadata", {{"uid", "other"}, {"labels", {{"a", "b"}}}}}});
  EXPECT_EQ(status.code, 200) << status.text;
  EXPECT_EQ(status.body["spec"]["queue"], "a");
  EXPECT_EQ(status.body["metadata"]["generation"], 1);
  EXPECT_FALSE(status.body["metadata"].contains("labels"));
  const Reply main =
      client.Patch("merge", kGang, {{"spec", {{"queue", "b"}}}, {"status", {{"message", "x"}}}});
  EXPECT_EQ(main.body["status"]["message"], "m");
  EXPECT_EQ(main.body["metadata"]["generation"], 2);
  EXPECT_EQ(client.Patch("merge", kGang, {{"metadata", {{"uid", "other"}}}}).code, 422);
}

TEST_F(Customs, JsonPatchGuardsByUid) {
  const Json made = client.Post(kGangs, Gang({{"queue", "a"}})).body;
  const auto patch = [](const Json& uid) {
    return Json::array({{{"op", "test"}, {"path", "/metadata/uid"}, {"value", uid}},
                        {{"op", "add"}, {"path", "/status"}, {"value", {{"message", "m"}}}}});
  };
  const Reply wrong = client.Patch("json", kGang + "/status", patch("other"));
  EXPECT_EQ(wrong.code, 422);
  EXPECT_EQ(wrong.message(), "the server rejected our request due to an error in our request");
  const Reply right = client.Patch("json", kGang + "/status", patch(made["metadata"]["uid"]));
  EXPECT_EQ(right.code, 200);
  EXPECT_EQ(client.Patch("json", kGang + "/status", patch(made["metadata"]["uid"])).body,
            right.body);
  EXPECT_EQ(client
                .Patch("merge", kGang + "/status",
                       {{"metadata", {{"resourceVersion", made["metadata"]["resourceVersion"]}}},
                        {"status", {{"message", "late"}}}})
                .code,
            409);
}

TEST_F(Customs, TransitionRulesCompareWithTheStoredStatus) {
  ASSERT_EQ(client.Post(kGangs, Gang({{"queue", "a"}})).code, 201);
  ASSERT_EQ(client.Patch("merge", kGang, {{"spec", {{"queue", "b"}}}}).code, 200);
  ASSERT_EQ(
      client.Patch("merge", kGang + "/status", {{"status", {{"admission", {{"queue", "b"}}}}}})
          .code,
      200);
  const Reply refused = client.Patch(
      "merge", kGang, {{"spec", {{"queue", "a"}}}, {"status", {{"admission", nullptr}}}});
  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.message(),
            "Gang.test.dev \"g\" is invalid: spec.queue: Forbidden: queue cannot change while "
            "admitted");
  EXPECT_EQ(refused.body["details"]["causes"][0]["reason"], "FieldValueForbidden");
  EXPECT_EQ(client.Patch("merge", kGang, {{"spec", {{"minMember", 2}}}}).code, 200);
}

TEST_F(Customs, StatusTextsLeaveStatusOut) {
  ASSERT_EQ(client.Post(kGangs, Gang({{"queue", "a"}})).code, 201);
  const auto conditions = [&](const char* text) {
    return client.Patch("merge", kGang + "/status",
                        {{"status", {{"conditions", Json::parse(text)}}}});
  };
  EXPECT_NE(conditions(R"([{"type":"A","status":"True","reason":""}])")
                .message()
                .find("status.conditions[0].reason: Invalid value: \"\": conditions[0].reason in "
                      "body should be at least 1 chars long"),
            std::string::npos);
  EXPECT_NE(conditions(R"([{"type":"A","status":"True","lastTransitionTime":"now"}])")
                .message()
                .find("must be of type date-time: \"now\""),
            std::string::npos);
}

TEST_F(Customs, PutNeedsAVersionAndStrategicPatchIsNotServed) {
  Json gang = client.Post(kGangs, Gang({{"queue", "a"}})).body;
  EXPECT_EQ(client.Patch("strategic-merge", kGang, Json::object()).code, 415);
  HttpRequest apply = TestClient::Make("PATCH", kGang, gang);
  apply.content_type = "application/apply-patch+yaml";
  EXPECT_EQ(client.Send(apply).message(),
            "this server does not apply on the server's side - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json");
  // Also of an object that is not there yet: kubectl takes a 404 for the answer to another
  // question.
  apply.path = std::string(kGangs) + "/new";
  EXPECT_EQ(client.Send(apply).code, 415);
  gang["metadata"].erase("resourceVersion");
  const Reply reply = client.Put(kGang, gang);
  EXPECT_EQ(reply.code, 422);
  EXPECT_NE(reply.message().find(
                "metadata.resourceVersion: Invalid value: 0: must be specified for an update"),
            std::string::npos);
}

TEST_F(Customs, SelectsByItsFields) {
  ASSERT_EQ(client.Post(kGangs, Gang({{"queue", "a"}})).code, 201);
  EXPECT_EQ(client.Get(std::string(kGangs) + "?fieldSelector=spec.queue=a").body["items"].size(),
            1U);
  EXPECT_EQ(client.Get(std::string(kGangs) + "?fieldSelector=spec.mode=a").code, 400);
}

TEST_F(Customs, DefinitionsAreReadOnly) {
  const std::string path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const Reply one = client.Get(path + "/gangs.test.dev");
  EXPECT_EQ(one.code, 200);
  EXPECT_EQ(one.body["status"]["conditions"][1]["type"], "Established");
  EXPECT_EQ(client.Delete(path + "/gangs.test.dev").code, 405);
  EXPECT_EQ(client.Post(path, one.body).code, 405);
}

TEST(Crd, RefusesWhatItCannotHonour) {
  struct Case {
    const char* from;
    const char* to;
    const char* error;
  };
  for (const Case& one : std::vector<Case>{
           {"minimum: 1,", "multipleOf: 2,", "unknown keyword multipleOf"},
           {"has(self.a) == has(self.b)", "self.a + self.b == 2", "CEL rule"},
           {"pattern: '^[a-z]+$'", "pattern: '^[a-z'", "pattern: "},
           {"queue: {type: string,", "queue: {", "a structural schema needs a type"},
           {".spec.minMember}", "spec.minMember}", "JSONPath is not understood"},
           {"metadata: {name: gangs.test.dev}", "metadata: {name: gang}", "metadata.name"},
           {"minimum: 1,", "minimum: x,", "minimum: not a number"},
           {"maxLength: 8", "maxLength: -8", "maxLength: not a count"},
           {"kind: CustomResourceDefinition", "kind: Crd", "not a CustomResourceDefinition"}}) {
    std::string text = kGangCrd;
    const std::size_t at = text.find(one.from);
    ASSERT_NE(at, std::string::npos) << one.from;
    text.replace(at, std::string(one.from).size(), one.to);
    const std::string folder = WriteFolder("crd_bad", text);
    TestClient client;
    const std::string error = client.server.LoadCrds(folder);
    EXPECT_NE(error.find(one.error), std::string::npos) << one.to << ": " << error;
    EXPECT_NE(error.find("crd.yaml"), std::string::npos) << error;
    fs::remove_all(folder);
  }
  TestClient client;
  EXPECT_NE(client.server.LoadCrds("/nonexistent"), "");
}

TEST(Crd, LoadsTheOnesOfThisRepository) {
  if (!fs::exists(SourceDir() + "/crds/podgroups.yaml")) GTEST_SKIP();
  TestClient client;
  EXPECT_EQ(client.server.LoadCrds(CrdsFolder()), "");
}

}  // namespace
}  // namespace muster::e2e
