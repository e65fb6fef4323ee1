#include "e2e/bench/decode.h"

#include <cstddef>
#include <string>
#include <vector>

#include "crds/decode.h"
#include "crds/list.h"
#include "e2e/apiserver/json.h"
#include "e2e/bench/measure.h"
#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

constexpr int kPods = 5000;

Json EnvVars() {
  Json env = Json::array();
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "NCCL_DEBUG"}) {
    env.push_back(
        {{"name", name},
         {"valueFrom", {{"fieldRef", {{"apiVersion", "v1"}, {"fieldPath", "metadata.name"}}}}}});
  }
  return env;
}

Json Condition(const char* type) {
  return {{"type", type},
          {"status", "True"},
          {"lastProbeTime", nullptr},
          {"lastTransitionTime", "2026-09-01T00:00:00Z"}};
}

// A pod of a training job as an API server lists it, about 2.8 KB.
Json PodAt(int i) {
  const std::string name = "train-" + std::to_string(i);
  const Json amounts = {{"cpu", "12"}, {"memory", "96Gi"}, {"nvidia.com/gpu", "1"}};
  const Json container = {
      {"name", "main"},
      {"image", "registry.example.com/research/train:2026.09"},
      {"command", {"python", "-m", "train", "--config", "/etc/train/config.yaml"}},
      {"env", EnvVars()},
      {"resources", {{"requests", amounts}, {"limits", amounts}}},
      {"volumeMounts", {{{"name", "data"}, {"mountPath", "/data"}}}},
      {"terminationMessagePath", "/dev/termination-log"},
      {"terminationMessagePolicy", "File"},
      {"imagePullPolicy", "IfNotPresent"}};
  return {{"metadata",
           {{"name", name},
            {"namespace", "research"},
            {"uid", "8f14e45f-ceea-467f-a7d2-" + std::to_string(100000000000 + i)},
            {"resourceVersion", std::to_string(1000 + i)},
            {"creationTimestamp", "2026-09-01T00:00:00Z"},
            {"labels",
             {{"muster.dev/pod-group", "train"},
              {"batch.kubernetes.io/job-name", "train"},
              {"batch.kubernetes.io/job-completion-index", std::to_string(i)}}},
            {"ownerReferences",
             {{{"apiVersion", "batch/v1"},
               {"kind", "Job"},
               {"name", "train"},
               {"uid", "0d1c6b1a-3c1d-4f1e-9d3e-000000000001"},
               {"controller", true},
               {"blockOwnerDeletion", true}}}}}},
          {"spec",
           {{"schedulerName", "muster"},
            {"nodeName", "node-" + std::to_string(i % 500)},
            {"priority", 0},
            {"containers", {container}},
            {"restartPolicy", "Never"},
            {"terminationGracePeriodSeconds", 30},
            {"dnsPolicy", "ClusterFirst"},
            {"serviceAccountName", "default"},
            {"tolerations",
             {{{"key", "node.kubernetes.io/not-ready"},
               {"operator", "Exists"},
               {"effect", "NoExecute"},
               {"tolerationSeconds", 300}}}}}},
          {"status",
           {{"phase", "Running"},
            {"conditions",
             {Condition("Initialized"), Condition("Ready"), Condition("ContainersReady"),
              Condition("PodScheduled")}},
            {"hostIP", "10.0.0.1"},
            {"podIP", "10.1.0.1"},
            {"startTime", "2026-09-01T00:00:00Z"},
            {"qosClass", "Guaranteed"}}}};
}

std::string ListBody() {
  Json items = Json::array();
  for (int i = 0; i < kPods; ++i) items.push_back(PodAt(i));
  return Dump({{"kind", "PodList"},
               {"apiVersion", "v1"},
               {"metadata", {{"resourceVersion", "1"}}},
               {"items", items}});
}

}  // namespace

void DecodeBench() {
  const std::string body = ListBody();
  std::vector<double> samples;
  for (int run = 0; run < kRuns; ++run) {
    std::size_t bound = 0;
    samples.push_back(Micros([&]() {
      const Result<crds::ListPage> page = crds::SplitList(body);
      MUSTER_CHECK(page.ok());
      for (const std::string_view item : page.value().items) {
        const Result<crds::Pod> pod = crds::DecodePod(item);
        MUSTER_CHECK(pod.ok());
        bound += pod.value().node_name.empty() ? 0U : 1U;
      }
    }));
    MUSTER_CHECK(bound == kPods);
  }
  const double rate = static_cast<double>(body.size()) / Median(samples);  // Bytes/us = MB/s.
  Print({"decode a list of 5,000 pods to typed pods, one thread", rate, "MB/s", "200 MB/s",
         rate >= 200});
}

}  // namespace muster::e2e
