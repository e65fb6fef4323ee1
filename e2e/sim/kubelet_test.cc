#include "e2e/sim/kubelet.h"

#include <deque>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

constexpr const char* kPodsPath = "/api/v1/namespaces/default/pods";

// An API server, its two watches, and kubelets under a clock that the test moves.
class KubeletWorld {
 public:
  KubeletWorld()
      : server_({}, [this] { return now_ms_; }),
        kubelets_({.start_ms = 50, .grace_ms = 200, .collect_ms = 500},
                  [this](const HttpRequest& request) { return server_.Handle(request); }) {
    Watch("/api/v1/nodes", [this](const std::string& frame) { kubelets_.OnNode(frame, now_ms_); });
    Watch("/api/v1/pods", [this](const std::string& frame) { kubelets_.OnPod(frame, now_ms_); });
  }

  Json Send(const std::string& method, const std::string& path, const Json& body = nullptr) {
    const HttpResponse answer = server_.Handle({.method = method,
                                                .path = path,
                                                .query = {},
                                                .content_type = "application/json",
                                                .accept = "application/json",
                                                .body = body.is_null() ? "" : Dump(body)});
    EXPECT_LT(answer.status, 500) << answer.body;
    return Parse(answer.body).value_or(nullptr);
  }

  void AddNode(const std::string& name, int gpus) {
    const Json amounts = {{"cpu", "8"}, {"pods", "10"}, {"nvidia.com/gpu", std::to_string(gpus)}};
    (void)Send("POST", "/api/v1/nodes",
               {{"apiVersion", "v1"},
                {"kind", "Node"},
                {"metadata", {{"name", name}}},
                {"status", {{"allocatable", amounts}}}});
  }
  void AddPod(const std::string& name, int gpus, const std::string& node, Json annotations = {}) {
    Json metadata = {{"name", name}, {"namespace", "default"}};
    if (!annotations.is_null()) metadata["annotations"] = std::move(annotations);
    const Json limits = {{"nvidia.com/gpu", std::to_string(gpus)}};
    const Json container = {
        {"name", "c"}, {"image", "i"}, {"resources", {{"requests", limits}, {"limits", limits}}}};
    (void)Send("POST", kPodsPath,
               {{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata", metadata},
                {"spec", {{"nodeName", node}, {"containers", {container}}}}});
  }
  auto Save() { return server_.Save(); }
  void Restore(const ApiServer::Snapshot& then) { server_.Restore(then); }
  void HoldEnds(bool held) { kubelets_.HoldEnds(held); }
  Json Pod(const std::string& name) { return Send("GET", std::string(kPodsPath) + "/" + name); }
  std::string Phase(const std::string& name) { return StringAt(Pod(name), {"status", "phase"}); }
  bool Gone(const std::string& name) { return IntAt(Pod(name), {"code"}) == 404; }

  // Lets `ms` pass, with every frame and timer in its turn.
  void Pass(std::int64_t ms) {
    const std::int64_t end = now_ms_ + ms;
    while (true) {
      Deliver();
      const std::optional<std::int64_t> next = kubelets_.next_ms();
      if (!next || *next > end) break;
      now_ms_ = std::max(now_ms_, *next);
      kubelets_.Run(now_ms_);
    }
    now_ms_ = end;
  }

 private:
  using Take = std::function<void(const std::string&)>;
  void Watch(const std::string& path, const Take& take) {
    WatchAll(server_, path,
             [this, take](const std::string& frame) { frames_.emplace_back(take, frame); });
  }
  void Deliver() {
    while (!frames_.empty()) {
      const auto [take, frame] = frames_.front();
      frames_.pop_front();
      take(frame);
    }
  }

  std::int64_t now_ms_ = 1'700'000'000'000;
  ApiServer server_;
  Kubelets kubelets_;
  std::deque<std::pair<Take, std::string>> frames_;
};

std::string ConditionOf(const Json& pod, const std::string& type) {
  const Json* const conditions = Find(pod, {"status", "conditions"});
  if (conditions == nullptr) return "";
  for (const Json& condition : *conditions) {
    if (StringAt(condition, {"type"}) == type) return StringAt(condition, {"status"});
  }
  return "";
}

TEST(Kubelets, RunABoundPodAndEndItAfterItsTime) {
  KubeletWorld world;
  world.AddNode("n", 8);
  world.AddPod("p", 8, "n", {{"sim.muster.dev/run-seconds", "1.5"}});
  world.Pass(49);
  EXPECT_EQ(world.Phase("p"), "Pending");
  world.Pass(1);
  EXPECT_EQ(world.Phase("p"), "Running");
  EXPECT_EQ(ConditionOf(world.Pod("p"), "Ready"), "True");
  EXPECT_EQ(StringAt(world.Pod("p"), {"status", "startTime"}), "2023-11-14T22:13:20Z");
  world.Pass(1499);
  EXPECT_EQ(world.Phase("p"), "Running");
  world.Pass(1);
  EXPECT_EQ(world.Phase("p"), "Succeeded");
  EXPECT_EQ(ConditionOf(world.Pod("p"), "Ready"), "False");
}

TEST(Kubelets, EndNothingWhileEndsAreHeld) {
  KubeletWorld world;
  world.AddNode("n", 8);
  world.AddPod("p", 8, "n", {{"sim.muster.dev/run-seconds", "1"}});
  world.HoldEnds(true);
  world.Pass(5000);
  EXPECT_EQ(world.Phase("p"), "Running");
  world.HoldEnds(false);
  world.Pass(100);
  EXPECT_EQ(world.Phase("p"), "Succeeded");
}

TEST(Kubelets, RejectWhatDoesNotFitUntilARunningPodEnds) {
  KubeletWorld world;
  world.AddNode("n", 8);
  world.AddPod("first", 5, "n", {{"sim.muster.dev/run-seconds", "1"}});
  world.AddPod("second", 4, "n");
  world.Pass(100);
  EXPECT_EQ(world.Phase("first"), "Running");
  EXPECT_EQ(world.Phase("second"), "Failed");
  const Json second = world.Pod("second");
  EXPECT_EQ(StringAt(second, {"status", "reason"}), "OutOfnvidia.com/gpu");
  EXPECT_EQ(StringAt(second, {"status", "message"}),
            "Pod was rejected: Node didn't have enough resource: nvidia.com/gpu, requested: 4, "
            "used: 5, capacity: 8");
  world.Pass(1000);
  world.AddPod("third", 8, "n");
  world.Pass(100);
  EXPECT_EQ(world.Phase("third"), "Running");
}

TEST(Kubelets, KeepTheRoomOfATerminatingPodUntilItIsGone) {
  KubeletWorld world;
  world.AddNode("n", 8);
  world.AddPod("p", 8, "n");
  world.Pass(100);
  (void)world.Send("DELETE", std::string(kPodsPath) + "/p");
  world.AddPod("early", 1, "n");
  world.Pass(199);
  EXPECT_FALSE(world.Gone("p"));
  EXPECT_EQ(world.Phase("early"), "Failed");
  world.Pass(1);
  EXPECT_TRUE(world.Gone("p"));
  world.AddPod("late", 8, "n");
  world.Pass(100);
  EXPECT_EQ(world.Phase("late"), "Running");
}

TEST(Kubelets, CollectThePodsOfANodeThatIsGone) {
  KubeletWorld world;
  world.AddNode("n", 8);
  world.AddPod("runs", 1, "n");
  world.AddPod("terminates", 1, "n");
  world.AddPod("ghost", 1, "never-was");
  world.Pass(100);
  (void)world.Send("DELETE", std::string(kPodsPath) + "/terminates");
  (void)world.Send("DELETE", "/api/v1/nodes/n");
  world.Pass(399);
  EXPECT_FALSE(world.Gone("ghost"));
  world.Pass(1);
  EXPECT_TRUE(world.Gone("ghost"));
  EXPECT_FALSE(world.Gone("runs"));
  world.Pass(100);
  EXPECT_TRUE(world.Gone("runs"));
  EXPECT_TRUE(world.Gone("terminates"));
}

TEST(Kubelets, StartAPodWhoseNodeComesAfterItAndSpareOneWhoseNodeIsBack) {
  KubeletWorld world;
  world.AddPod("p", 1, "n");
  world.Pass(100);
  EXPECT_EQ(world.Phase("p"), "Pending");
  world.AddNode("n", 8);
  world.Pass(50);
  EXPECT_EQ(world.Phase("p"), "Running");
  (void)world.Send("DELETE", "/api/v1/nodes/n");
  world.Pass(300);
  world.AddNode("n", 8);
  world.Pass(1000);
  EXPECT_EQ(world.Phase("p"), "Running");
}

// What an API server that was restored to an older state has forgotten.
TEST(Kubelets, SayOnceMoreThatAPodRunsAndThatItHasEnded) {
  KubeletWorld world;
  world.AddNode("n", 8);
  world.AddPod("p", 1, "n", {{"sim.muster.dev/run-seconds", "1"}});
  const auto bound = world.Save();
  world.Pass(100);
  EXPECT_EQ(world.Phase("p"), "Running");
  world.Restore(*bound);
  EXPECT_EQ(world.Phase("p"), "Pending");
  world.Pass(100);
  EXPECT_EQ(world.Phase("p"), "Running");
  world.Pass(1000);
  EXPECT_EQ(world.Phase("p"), "Succeeded");
  world.Restore(*bound);
  world.Pass(100);
  EXPECT_EQ(world.Phase("p"), "Succeeded");
}

TEST(Kubelets, LeaveThePodOfTheSameNameThatCameLaterAlone) {
  KubeletWorld world;
  world.AddNode("n", 8);
  world.AddPod("p", 1, "n", {{"sim.muster.dev/run-seconds", "1"}});
  world.Pass(100);
  (void)world.Send("DELETE", std::string(kPodsPath) + "/p", {{"gracePeriodSeconds", 0}});
  world.Pass(300);
  world.AddPod("p", 1, "n");
  world.Pass(2000);
  EXPECT_EQ(world.Phase("p"), "Running");
}

}  // namespace
}  // namespace muster::e2e
