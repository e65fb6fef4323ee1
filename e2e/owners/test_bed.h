// For tests: an API server, kubelets and the controllers under a clock that the test moves. Frames
// arrive at once, in the middle of the writes that cause them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "e2e/apiserver/test_client.h"
#include "e2e/owners/controllers.h"
#include "e2e/sim/kubelet.h"

namespace muster::e2e {

class Bed {
 public:
  explicit Bed(ClusterControllers::Options options = {})
      : kubelets({.lease_ms = 10'000},
                 [this](const HttpRequest& r) { return client.server.Handle(r); }),
        controllers(options, [this](const HttpRequest& r) { return client.server.Handle(r); }) {
    for (const std::string& path : WatchedPaths()) {
      HttpRequest watch = TestClient::Make("GET", path + "?watch=1");
      // PodGroups have no definition here: that watch is refused.
      (void)client.server.Subscribe(
          watch, [this, path](const std::string& frame) { Take(path, frame); }, [] {});
    }
  }

  // Lets `ms` pass in steps of 100 ms.
  void Pass(std::int64_t ms) {
    for (std::int64_t end = client.now_ms + ms;;) {
      kubelets.Run(client.now_ms);
      if (controllers_run) controllers.Run(client.now_ms);
      if (client.now_ms >= end) return;
      client.now_ms = std::min(end, client.now_ms + 100);
    }
  }

  void AddNode(const std::string& name) {
    const Json amounts = {{"cpu", "8"}, {"pods", "110"}};
    (void)client.Post(
        "/api/v1/nodes",
        {{"metadata", {{"name", name}}},
         {"status",
          {{"allocatable", amounts}, {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}});
  }
  // As a scheduler would.
  void Bind(const std::string& pod, const std::string& node) {
    (void)client.Post(std::string(kPods) + "/" + pod + "/binding", BindingBody(pod, node));
  }
  [[nodiscard]] std::vector<Json> Pods() {
    return client.Get(kPods).body.value("items", std::vector<Json>());
  }
  // The names without their random end: "train-0", once for each pod that is not deleted.
  [[nodiscard]] std::string PodNames() {
    std::string text;
    for (const Json& pod : Pods()) {
      if (pod["metadata"].contains("deletionTimestamp")) continue;
      const std::string name = StringAt(pod, {"metadata", "name"});
      text += (text.empty() ? "" : " ") + name.substr(0, name.rfind('-'));
    }
    return text;
  }
  void SetPhase(const std::string& pod, const std::string& phase) {
    (void)client.Patch("merge", std::string(kPods) + "/" + pod + "/status",
                       {{"status", {{"phase", phase}}}});
  }

  TestClient client;
  Kubelets kubelets;
  ClusterControllers controllers;
  bool controllers_run = true;

 private:
  void Take(const std::string& path, const std::string& frame) {
    if (path.ends_with("/pods")) kubelets.OnPod(frame, client.now_ms);
    if (path.ends_with("/nodes")) kubelets.OnNode(frame, client.now_ms);
    controllers.OnFrame(frame, client.now_ms);
  }
};

constexpr const char* kJobsPath = "/apis/batch/v1/namespaces/default/jobs";
constexpr const char* kTrain = "/apis/batch/v1/namespaces/default/jobs/train";
constexpr const char* kSetsPath = "/apis/apps/v1/namespaces/default/replicasets";

[[nodiscard]] inline Json JobOf(const std::string& name, std::int64_t completions,
                                const std::string& run_seconds = "") {
  Json spec = PodBody("p")["spec"];
  spec["restartPolicy"] = "Never";
  Json meta = {{"labels", {{"muster.dev/pod-group", name}}}};
  if (!run_seconds.empty()) meta["annotations"] = {{"sim.muster.dev/run-seconds", run_seconds}};
  return {{"metadata", {{"name", name}}},
          {"spec",
           {{"completionMode", "Indexed"},
            {"completions", completions},
            {"parallelism", completions},
            {"template", {{"metadata", std::move(meta)}, {"spec", std::move(spec)}}}}}};
}

}  // namespace muster::e2e
