// Whatever a client sends, the server answers: bodies with values of the wrong type in every place.
#include <random>

#include <gtest/gtest.h>

#include "e2e/apiserver/kinds.h"
#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

const std::vector<Json>& OddValues() {
  static const std::vector<Json> kOdd = {nullptr,
                                         true,
                                         -1,
                                         1.5,
                                         "",
                                         "text",
                                         Json::array(),
                                         Json::object(),
                                         Json::array({nullptr}),
                                         Json::array({1, "a", Json::object()}),
                                         Json({{"name", 7}}),
                                         Json::array({{{"name", "x"}}})};
  return kOdd;
}

// Every place in the value, as JSON pointers.
std::vector<std::string> Places(const Json& value) {
  std::vector<std::string> places;
  const Json flat = value.flatten();
  for (const auto& [path, leaf] : flat.items()) {
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
      places.push_back(path.substr(0, at));
    }
    places.push_back(path);
  }
  return places;
}

Json Full() {
  return Json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p0","labels":{"a":"b"},
      "annotations":{"c":"d"},"finalizers":["x/y"],"ownerReferences":[{"uid":"u"}]},
      "spec":{"nodeSelector":{"a":"b"},"tolerations":[{"key":"k"}],"schedulingGates":[{"name":"g"}],
      "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
      {"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Exists"}]}]}}},
      "overhead":{"cpu":"1"},"priorityClassName":"","terminationGracePeriodSeconds":5,
      "initContainers":[{"name":"i","image":"i"}],
      "containers":[{"name":"m","image":"i","env":[{"name":"A","value":"1"}],
      "ports":[{"containerPort":1}],"resources":{"limits":{"cpu":1},"requests":{"cpu":"1"}}}]},
      "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],
      "containerStatuses":[{"ready":true,"restartCount":1,"state":{"waiting":{"reason":"r"}}}]}})");
}

TEST(Robust, OddBodiesAreAnswered) {
  const std::string pod = std::string(kPods) + "/p0";
  const std::vector<std::string> places = Places(Full());
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same every run.
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    TestClient client;
    Json body = Full();
    body["metadata"].erase("finalizers");
    ASSERT_EQ(client.Post(kPods, body).code, 201);
    Json odd = Full();
    const std::string& place = places[random() % places.size()];
    odd[Json::json_pointer(place)] = OddValues()[random() % OddValues().size()];
    for (const Reply& reply :
         {client.Put(pod, odd), client.Patch("strategic-merge", pod, odd),
          client.Patch("merge", pod + "/status", odd), client.Post(pod + "/binding", odd),
          client.Table(pod), client.Delete(pod, odd), client.Post(kPods, odd), client.Get(kPods),
          client.Table(kPods)}) {
      ASSERT_GE(reply.code, 200) << place;
      ASSERT_NE(reply.reason(), "InternalError") << place << " " << reply.text;
      ++(reply.code < 300 ? accepted : refused);
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

// A client that reads as deep as the server does reads what the server puts around an object too.
TEST(Robust, WhatIsTakenIsReadInEachAnswer) {
  const auto nested = [](int levels) {
    Json value = "end";
    for (int i = 0; i < levels; ++i) value = Json{{"x", std::move(value)}};
    return value;
  };
  TestClient client;
  std::string frame;
  WatchAll(client.server, kPods, [&](const std::string& text) { frame = text; });
  Json body = PodBody("p0");
  body["spec"]["x"] = nested(kMaxObjectDepth - 1);
  EXPECT_EQ(client.Post(kPods, body).code, 400) << "one too many";
  body["spec"]["x"] = nested(kMaxObjectDepth - 2);
  ASSERT_EQ(DepthOf(body), kMaxObjectDepth);
  ASSERT_EQ(client.Post(kPods, body).code, 201);
  EXPECT_TRUE(Parse(frame).has_value());
  for (const Reply& reply :
       {client.Get(kPod), client.Get(kPods), client.Table(kPod), client.Table(kPods)}) {
    EXPECT_EQ(reply.code, 200);
    EXPECT_TRUE(Parse(reply.text).has_value());
  }
}

}  // namespace
}  // namespace muster::e2e
