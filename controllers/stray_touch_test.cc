#include "controllers/stray_touch.h"

#include <gtest/gtest.h>

#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

constexpr const char* kTouch = "PATCH pods/train-0/status";

class StrayTouchTest : public ::testing::Test {
 protected:
  void Start() {
    std::map<scheduler::Key, StrayTouch::Pod> pods;
    for (const auto& [name, pod] : api_.pods()) {
      pods[{.ns = "default", .name = name}] = {.uid = pod.uid,
                                               .version = std::to_string(pod.version)};
    }
    touch_.Start(pods);
  }

  testing::ManualLoop loop_;
  testing::FakeApi api_{loop_};
  Writer writer_{api_, loop_, {}};
  int done_ = 0;
  StrayTouch touch_{
      {.writer = writer_, .loop = loop_, .holder = "me", .done = [this] { ++done_; }}};
};

TEST_F(StrayTouchTest, MovesEveryPendingPod) {
  const std::int64_t first = api_.AddPod("train-0", "u0").version;
  const std::int64_t second = api_.AddPod("train-1", "u1").version;
  Start();
  EXPECT_EQ(done_, 0);
  loop_.Run();
  EXPECT_EQ(done_, 1);
  EXPECT_NE(api_.pods().at("train-0").version, first);
  EXPECT_NE(api_.pods().at("train-1").version, second);
}

TEST_F(StrayTouchTest, IsDoneAtOnceWithoutPods) {
  Start();
  EXPECT_EQ(done_, 0);
  loop_.Run();
  EXPECT_EQ(done_, 1);
}

TEST_F(StrayTouchTest, LeavesWhatMovedOrLeftMeanwhile) {
  const std::vector<std::function<void(testing::FakeApi&)>> acts = {
      [](auto& api) { api.Change("train-0"); },
      [](auto& api) { api.Bind("train-0", "n1"); },
      [](auto& api) { api.pods().clear(); },
      [](auto& api) { (void)api.AddPod("train-0", "again"); },
  };
  for (const auto& act : acts) {
    (void)api_.AddPod("train-0", "u0");
    done_ = 0;
    api_.ClearLog();
    api_.Hold(kTouch);
    Start();
    act(api_);
    api_.Release(kTouch);
    loop_.Advance(1'000);
    EXPECT_EQ(done_, 1);
    EXPECT_EQ(api_.Count(kTouch), 1);
  }
}

TEST_F(StrayTouchTest, TouchesAgainWhenNothingMoved) {
  (void)api_.AddPod("train-0", "u0");
  api_.LoseRequest(kTouch);
  api_.Refuse(kTouch, 409, testing::StatusBody("Conflict", "etcdserver: leader changed"));
  api_.LoseRequest("GET");
  Start();
  loop_.Advance(10'000);
  EXPECT_EQ(done_, 1);
  EXPECT_EQ(api_.Count(kTouch), 3);
}

}  // namespace
}  // namespace muster::controllers
