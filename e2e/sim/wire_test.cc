// What each fault of a request does to its effect and to its answer.
#include "e2e/sim/wire.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/apiserver/json.h"
#include "e2e/apiserver/server_trouble.h"
#include "e2e/sim/owner.h"

namespace muster::e2e {
namespace {

constexpr const char* kPodsUrl = "/api/v1/namespaces/default/pods";

class WireTest : public ::testing::Test {
 protected:
  WireTest() {
    const Json pod = {{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"metadata", {{"name", "p"}}},
                      {"spec", {{"containers", {{{"name", "main"}, {"image", "train"}}}}}}};
    EXPECT_EQ(server_.Handle(Post(kPodsUrl, Dump(pod))).status, 201);
  }

  // A Binding of the pod, while the fault always strikes. The answers that were heard.
  std::vector<HttpResponse> Bind(Fault fault) {
    Faults faults;
    faults.Set(fault, 1'000);
    wire_.set_faults(faults);
    const Json binding = {{"metadata", {{"name", "p"}}},
                          {"target", {{"kind", "Node"}, {"name", "n1"}}}};
    std::vector<HttpResponse> heard;
    wire_.Send(Post(std::string(kPodsUrl) + "/p/binding", Dump(binding)),
               [&heard](HttpResponse answer) { heard.push_back(std::move(answer)); });
    while (loop_.Step(kMinute * 10)) {
    }
    EXPECT_GE(wire_.weather().struck(fault), 1);
    return heard;
  }
  [[nodiscard]] bool IsBound() {
    HttpRequest get;
    get.method = "GET";
    get.path = std::string(kPodsUrl) + "/p";
    const Json pod = Parse(server_.Handle(get).body).value_or(Json());
    return !StringAt(pod, {"spec", "nodeName"}).empty();
  }

  SimLoop loop_;
  ApiServer server_{{}, [this]() { return loop_.wall_ms(); }};
  int arrived_ = 0;
  Wire wire_{loop_,
             server_,
             1,
             {.arrived = [this](const Arrival&) { ++arrived_; }, .moved = []() {}, .tap = {}}};
};

TEST_F(WireTest, BeforeTheEffectThereIsNone) {
  const std::vector<std::pair<Fault, int>> faults = {{Fault::kConflictBefore, 409},
                                                     {Fault::kThrottledBefore, 429},
                                                     {Fault::kErrorBefore, 500},
                                                     {Fault::kTimeoutBefore, 504},
                                                     {Fault::kDenied, 403}};
  for (const auto& [fault, status] : faults) {
    const std::vector<HttpResponse> heard = Bind(fault);
    ASSERT_EQ(heard.size(), 1U) << status;
    EXPECT_EQ(heard[0].status, status);
    EXPECT_FALSE(IsBound()) << status;
  }
}

TEST_F(WireTest, ATimeOutAfterTheEffectSaysNoKind) {
  const std::vector<HttpResponse> heard = Bind(Fault::kTimeoutAfter);
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].status, 504);
  EXPECT_FALSE(Parse(heard[0].body).value_or(Json()).contains("kind"));
  EXPECT_TRUE(IsBound());
}

TEST_F(WireTest, AConflictAfterTheEffectIsOneOfTheStorage) {
  const std::vector<HttpResponse> heard = Bind(Fault::kConflictAfter);
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].status, 409);
  EXPECT_NE(heard[0].body.find("pods/binding \\\"p\\\": rpc error"), std::string::npos)
      << heard[0].body;
  EXPECT_TRUE(IsBound());
}

TEST_F(WireTest, OverloadSaysWhenToComeBack) {
  const std::vector<HttpResponse> heard = Bind(Fault::kThrottledAfter);
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(RetryAfterMs(heard[0]), 1'000);
  EXPECT_TRUE(IsBound());
}

TEST_F(WireTest, ARepeatedRequestActsAndIsAnsweredTwice) {
  const std::vector<HttpResponse> heard = Bind(Fault::kRepeatedRequest);
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(arrived_, 2);
  EXPECT_EQ(heard[0].status, 201);
  EXPECT_EQ(heard[1].status, 409);
}

TEST_F(WireTest, WhatIsLostIsLost) {
  EXPECT_TRUE(Bind(Fault::kLostRequest).empty());
  EXPECT_FALSE(IsBound());
  EXPECT_TRUE(Bind(Fault::kLostAnswer).empty());
  EXPECT_TRUE(IsBound());
}

TEST_F(WireTest, WhatIsDroppedOnTheWayNeverActs) {
  bool heard = false;
  wire_.Send(DeleteAt(std::string(kPodsUrl) + "/p"),
             [&heard](const HttpResponse&) { heard = true; });
  wire_.DropAll();
  while (loop_.Step(kMinute)) {
  }
  EXPECT_FALSE(heard);
  EXPECT_EQ(arrived_, 0);
}

}  // namespace
}  // namespace muster::e2e
