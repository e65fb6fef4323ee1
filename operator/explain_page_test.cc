// /explain over the real Manager and core: what is asked of a pod is answered for its gang.
#include "operator/explain_page.h"

#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "controllers/testing/protocol_rig.h"

namespace muster::app {
namespace {

using controllers::Manager;
using Json = nlohmann::json;

constexpr const char* kServer = "http://s";
constexpr const char* kGpu = "nvidia.com/gpu";

// Two nodes, of 8 and of 2 GPUs, and a queue `default` that is open to all.
class ExplainPageTest : public testing::Test {
 protected:
  ExplainPageTest() {
    AddNode("a", 8);
    AddNode("b", 2);
    crds::Queue queue;
    queue.meta = Meta("default");
    queue.namespace_selector = crds::LabelSelector{};
    api_.Show("queues", queue);
    crds::Namespace ns;
    ns.meta = Meta("default");
    api_.Show("namespaces", ns);
    manager_ = std::make_unique<Manager>(
        Manager::Ports{.api = api_, .loop = loop_, .telemetry = telemetry_},
        controllers::ManagerOptions{.holder = "me", .pages = 1}, [](const std::string&) {});
    manager_->Start();
    loop_.Advance(100);
  }

  crds::ObjectMeta Meta(const std::string& name) {
    crds::ObjectMeta meta;
    meta.name = name;
    meta.uid = "uid-" + name;
    meta.resource_version = api_.Version();
    return meta;
  }
  void AddNode(const std::string& name, std::int64_t gpus) {
    crds::Node node;
    node.meta = Meta(name);
    node.ready = true;
    node.allocatable = {{kGpu, gpus * 1'000}, {"pods", 110}};
    api_.Show("nodes", node);
  }
  void AddGroup(const std::string& name, std::int32_t min_member) {
    crds::PodGroup group;
    group.meta = Meta(name);
    group.meta.ns = "default";
    group.min_member = min_member;
    api_.Show("podgroups", group);
    loop_.Advance(100);
  }
  void AddPod(const std::string& name, const std::string& group, std::int64_t gpus,
              const std::string& scheduler = "muster") {
    crds::Pod pod;
    pod.meta = Meta(name);
    pod.meta.ns = "default";
    pod.meta.resource_version = std::to_string(api_.AddPod(name, pod.meta.uid).version);
    if (!group.empty()) pod.meta.labels["muster.dev/pod-group"] = group;
    pod.scheduler_name = scheduler;
    pod.phase = "Pending";
    pod.containers = {{.name = "c", .requests = {{kGpu, gpus * 1'000}}}};
    api_.Show("pods", pod);
    loop_.Advance(100);
  }
  [[nodiscard]] HttpAnswer Ask(const std::string& kind, const std::string& name) const {
    return ExplainPage(manager_.get(), ReadinessOf(manager_.get(), kServer),
                       {"default", kind, name});
  }
  [[nodiscard]] Json AskJson(const std::string& kind, const std::string& name) const {
    const HttpAnswer answer = Ask(kind, name);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return Json::parse(answer.body, nullptr, false);
  }

  controllers::testing::ManualLoop loop_;
  controllers::testing::FakeApi api_{loop_};
  controllers::testing::FakeTelemetry telemetry_;
  std::unique_ptr<Manager> manager_;
};

TEST_F(ExplainPageTest, AMemberIsAnsweredWithItsGang) {
  AddGroup("train", 2);
  for (const char* pod : {"train-0", "train-1"}) AddPod(pod, "train", 8);
  const Json gang = AskJson("podgroups", "train");
  const Json member = AskJson("pods", "train-1");
  EXPECT_EQ(member, gang);
  EXPECT_EQ(member["gang"], "default/train");
  EXPECT_EQ(member["queuePosition"], 1);
  EXPECT_EQ(member["nodes"][1]["reason"], "Insufficient nvidia.com/gpu");
}

// The launcher is the first by rank, so it is what the attempt looked for.
TEST_F(ExplainPageTest, AMemberOfAnotherShapeIsAnsweredForItsOwn) {
  AddGroup("train", 3);
  AddPod("launcher", "train", 1);
  for (const char* pod : {"worker-0", "worker-1"}) AddPod(pod, "train", 8);
  const Json gang = AskJson("podgroups", "train");
  EXPECT_EQ(gang["nodes"][1]["reason"], "");
  EXPECT_EQ(gang["scores"].size(), 2U);
  EXPECT_EQ(AskJson("pods", "launcher")["nodes"], gang["nodes"]);
  const Json worker = AskJson("pods", "worker-1");
  EXPECT_EQ(worker["nodes"][0]["reason"], "");
  EXPECT_EQ(worker["nodes"][1]["reason"], "Insufficient nvidia.com/gpu");
  EXPECT_EQ(worker["scores"].size(), 1U);
  EXPECT_EQ(worker["attempt"], gang["attempt"]);
}

TEST_F(ExplainPageTest, AMemberBeyondTheMinimumIsToldSo) {
  AddGroup("train", 1);
  for (const char* pod : {"train-0", "train-1"}) AddPod(pod, "train", 8);
  EXPECT_EQ(AskJson("pods", "train-0")["placed"][0]["node"], "a");
  EXPECT_EQ(AskJson("pods", "train-0")["reason"], "");
  const Json beyond = AskJson("pods", "train-1");
  EXPECT_EQ(beyond["gang"], "default/train");
  EXPECT_EQ(beyond["reason"], "Surplus");
}

TEST_F(ExplainPageTest, AMemberWithoutItsPodGroupIsToldSo) {
  AddPod("train-0", "train", 8);
  const Json member = AskJson("pods", "train-0");
  EXPECT_EQ(member["gang"], "default/train");
  EXPECT_EQ(member["reason"], "PodGroupNotFound");
  EXPECT_EQ(member["message"], "PodGroup \"train\" does not exist in namespace default");
  AddGroup("train", 1);
  EXPECT_EQ(AskJson("pods", "train-0")["placed"][0]["pod"], "train-0");
}

TEST_F(ExplainPageTest, AGangOfOneIsItsPod) {
  AddPod("lone", "", 9);
  const Json pod = AskJson("pods", "lone");
  EXPECT_EQ(pod["gang"], "default/lone");
  EXPECT_EQ(pod["reason"], "NeverFits");
  EXPECT_EQ(Ask("podgroups", "lone").status, 404);
}

TEST_F(ExplainPageTest, WhatIsNotOursOrUnknownIs404) {
  AddPod("foreign", "train", 1, "default-scheduler");
  EXPECT_EQ(Ask("pods", "foreign").status, 404);
  EXPECT_EQ(Ask("pods", "none").body, "no such pod of Muster's\n");
  EXPECT_EQ(Ask("podgroups", "none").body, "no such PodGroup\n");
}

TEST_F(ExplainPageTest, WhoDoesNotDecideDoesNotSayThatSomethingIsNotThere) {
  const HttpAnswer before =
      ExplainPage(nullptr, ReadinessOf(nullptr, kServer), {"default", "pods", "x"});
  EXPECT_EQ(before.status, 503);
  EXPECT_EQ(before.body, "no answer of the API server http://s\n");
  AddPod("lone", "", 9);
  const Readiness cut{.text = "a watch is cut off"};
  EXPECT_EQ(ExplainPage(manager_.get(), cut, {"default", "pods", "none"}).body,
            "a watch is cut off\n");
  EXPECT_EQ(ExplainPage(manager_.get(), cut, {"default", "pods", "lone"}).status, 200);
}

TEST_F(ExplainPageTest, AStandbyIsReadyButDoesNotAnswerForGangs) {
  api_.SetLease("another");
  Manager standby({.api = api_, .loop = loop_, .telemetry = telemetry_},
                  {.holder = "standby",
                   .election = controllers::LeaderElection{.identity = "standby"},
                   .pages = 1},
                  [](const std::string&) {});
  EXPECT_EQ(ReadyPage(ReadinessOf(&standby, kServer)).body,
            "not ready: the lease is not held by anybody\n");
  standby.Start();
  loop_.Advance(100);
  const Readiness readiness = ReadinessOf(&standby, kServer);
  EXPECT_EQ(ReadyPage(readiness).status, 200);
  EXPECT_EQ(ReadyPage(readiness).body, "ok, standing by: the lease is held by another\n");
  const HttpAnswer answer = ExplainPage(&standby, readiness, {"default", "podgroups", "train"});
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, "standing by: the lease is held by another\n");
}

TEST_F(ExplainPageTest, AnInstanceThatDecidesIsReady) {
  EXPECT_EQ(ReadyPage(ReadinessOf(manager_.get(), kServer)).body, "ok\n");
  EXPECT_EQ(ReadyPage(ReadinessOf(nullptr, kServer)).status, 503);
}

}  // namespace
}  // namespace muster::app
