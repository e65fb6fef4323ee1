#include "e2e/apiserver/event_view.h"

#include <gtest/gtest.h>

#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

const std::string kNew = "/apis/events.k8s.io/v1/namespaces/default/events";
const std::string kCore = "/api/v1/namespaces/default/events";

Json EventBody() {
  return Json::parse(R"({"apiVersion":"events.k8s.io/v1","kind":"Event",
      "metadata":{"name":"p0.1"},"eventTime":"2026-09-21T14:13:20.000000Z","type":"Warning",
      "reason":"FailedScheduling","action":"Scheduling","note":"no room",
      "reportingController":"muster","reportingInstance":"muster-1",
      "regarding":{"kind":"Pod","namespace":"default","name":"p0","uid":"u1"}})");
}

TEST(Events, OneStoreTwoApis) {
  TestClient client;
  const Reply made = client.Post(kNew, EventBody());
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body["note"], "no room");
  EXPECT_EQ(made.body["apiVersion"], "events.k8s.io/v1");
  const Json core = client.Get(kCore + "/p0.1").body;
  EXPECT_EQ(core["message"], "no room");
  EXPECT_EQ(core["involvedObject"]["name"], "p0");
  EXPECT_EQ(core["reportingComponent"], "muster");
  EXPECT_EQ(core["apiVersion"], "v1");
  EXPECT_EQ(client.Get(kNew + "/p0.1").body, made.body);
  EXPECT_EQ(client.Get(kNew).body["items"][0], made.body);
}

// "kubectl get events --sort-by=.lastTimestamp" asks for a field that only the older API sets: a
// real server writes it out, as null.
TEST(Events, TheFieldsOfTheOlderApiAreThere) {
  TestClient client;
  ASSERT_EQ(client.Post(kNew, EventBody()).code, 201);
  const Json core = client.Get(kCore + "/p0.1").body;
  ASSERT_TRUE(core.contains("lastTimestamp"));
  EXPECT_TRUE(core["lastTimestamp"].is_null());
  EXPECT_TRUE(core["firstTimestamp"].is_null());
  EXPECT_EQ(core["source"], Json::object());
  EXPECT_EQ(core["eventTime"], "2026-09-21T14:13:20.000000Z");
}

TEST(Events, SelectAsKubectlDoes) {
  TestClient client;
  ASSERT_EQ(client.Post(kNew, EventBody()).code, 201);
  const auto count = [&](const std::string& target) {
    return client.Get(target).body["items"].size();
  };
  EXPECT_EQ(count(kCore + "?fieldSelector=involvedObject.name=p0,involvedObject.namespace=default,"
                          "involvedObject.uid=u1"),
            1U);
  EXPECT_EQ(count(kCore + "?fieldSelector=involvedObject.kind=PodGroup"), 0U);
  EXPECT_EQ(count(kNew + "?fieldSelector=regarding.kind=Pod,type=Warning"), 1U);
  EXPECT_EQ(client.Get(kNew + "?fieldSelector=involvedObject.kind=Pod").code, 400);
}

TEST(Events, SeriesArePatchedAndWatchedInBothForms) {
  TestClient client;
  Frames core;
  Frames newer;
  ASSERT_NE(
      client.server.Subscribe(TestClient::Make("GET", kCore + "?watch=1"), core.sink(), {}).id, 0U);
  ASSERT_NE(
      client.server.Subscribe(TestClient::Make("GET", kNew + "?watch=1"), newer.sink(), {}).id, 0U);
  ASSERT_EQ(client.Post(kNew, EventBody()).code, 201);
  const Json series = {{"count", 2}, {"lastObservedTime", "2026-09-21T14:13:21.000000Z"}};
  const Reply patched =
      client.Patch("strategic-merge", kNew + "/p0.1", {{"series", series}, {"note", "less room"}});
  EXPECT_EQ(patched.code, 200);
  EXPECT_EQ(patched.body["series"], series);
  ASSERT_EQ(core.all.size(), 2U);
  EXPECT_EQ(core.all[1]["object"]["message"], "less room");
  ASSERT_EQ(newer.all.size(), 2U);
  EXPECT_EQ(newer.all[1]["object"]["note"], "less room");
}

TEST(Events, TheNewerApiAsksForMore) {
  for (const char* field :
       {"eventTime", "reportingController", "reportingInstance", "action", "reason", "type"}) {
    TestClient client;
    Json body = EventBody();
    body.erase(field);
    const Reply reply = client.Post(kNew, body);
    EXPECT_EQ(reply.code, 422) << field;
    EXPECT_NE(reply.message().find(field), std::string::npos) << reply.message();
  }
  TestClient client;
  Json body = EventBody();
  body["note"] = std::string(1025, 'x');
  EXPECT_EQ(client.Post(kNew, body).code, 422);
  body = EventBody();
  body["regarding"]["namespace"] = "other";
  EXPECT_EQ(client.Post(kNew, body).code, 422);
  EXPECT_EQ(client.Post(kCore, {{"metadata", {{"name", "x"}}}, {"message", "m"}}).code, 201);
}

}  // namespace
}  // namespace muster::e2e
