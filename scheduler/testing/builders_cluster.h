// Short ways to say what a test's cluster looks like: facts with sensible defaults, to be changed
// field by field where a test needs more. Amounts are inner units: GPUs and cpu in thousandths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/model/cluster.h"
#include "scheduler/model/event.h"

namespace muster::scheduler::testing {

inline constexpr std::string_view kGpu = "nvidia.com/gpu";

// Whole GPUs.
[[nodiscard]] inline Amounts Gpus(std::int64_t count) {
  return {{std::string(kGpu), count * 1000}};
}
[[nodiscard]] inline Amounts Cpus(std::int64_t count) {
  return {{"cpu", count * 1000}};
}

// A Ready node with room for 110 pods.
[[nodiscard]] inline NodeSeen Node(const std::string& name, Amounts allocatable) {
  allocatable.emplace_back("pods", 110);
  return {.name = name,
          .uid = "uid-" + name,
          .allocatable = std::move(allocatable),
          .ready = true,
          .unschedulable = false,
          .labels = {},
          .taints = {},
          .cached_models = {}};
}

[[nodiscard]] inline PodSeen AnyPod(const std::string& ns, const std::string& name,
                                    Amounts requests) {
  PodSeen pod;
  pod.uid = "uid-" + ns + "-" + name;
  pod.key = {.ns = ns, .name = name};
  pod.shape.requests = std::move(requests);
  return pod;
}
// "gang-index", of the PodGroup default/gang; its rank is the index.
[[nodiscard]] inline PodSeen Member(const std::string& gang, std::int32_t index, Amounts requests) {
  PodSeen pod = AnyPod("default", gang + "-" + std::to_string(index), std::move(requests));
  pod.ours = true;
  pod.gang = {.ns = "default", .name = gang};
  pod.rank = index;
  return pod;
}
// A pod of ours without PodGroup.
[[nodiscard]] inline PodSeen Single(const std::string& name, const std::string& queue,
                                    Amounts requests) {
  PodSeen pod = AnyPod("default", name, std::move(requests));
  pod.ours = true;
  pod.gang = {.ns = "default", .name = name, .single_pod = true};
  pod.queue = queue;
  return pod;
}
// Of another scheduler, bound.
[[nodiscard]] inline PodSeen Foreign(const std::string& name, const std::string& node,
                                     Amounts requests) {
  PodSeen pod = AnyPod("kube-system", name, std::move(requests));
  pod.state = PodState::kBound;
  pod.node = node;
  return pod;
}
// As a Binding of ours leaves it, pins included.
[[nodiscard]] inline PodSeen Bound(PodSeen pod, const std::string& node, const std::string& queue) {
  pod.state = PodState::kBound;
  pod.node = node;
  pod.admitted_queue = queue;
  if (!pod.gang.single_pod) pod.admitted_group_uid = "uid-" + pod.gang.ns + "-" + pod.gang.name;
  return pod;
}
[[nodiscard]] inline PodSeen Ended(PodSeen pod, PodState state) {
  pod.state = state;
  return pod;
}

[[nodiscard]] inline GangSeen Gang(const std::string& name, const std::string& queue,
                                   std::int32_t min_member) {
  GangSeen gang;
  gang.uid = "uid-default-" + name;
  gang.key = {.ns = "default", .name = name};
  gang.queue = queue;
  gang.queue_named = true;
  gang.min_member = min_member;
  return gang;
}

// Admits all namespaces.
[[nodiscard]] inline QueueSeen Queue(const std::string& name, const Amounts& nominal) {
  QueueSeen queue;
  queue.name = name;
  queue.uid = "uid-" + name;
  queue.has_selector = true;
  for (const auto& [resource, amount] : nominal) {
    queue.resources.push_back({.resource = resource, .nominal = amount});
  }
  return queue;
}

template <class... Events>
void ApplyAll(Cluster& cluster, const Events&... events) {
  (cluster.Apply(Event(events)), ...);
}

}  // namespace muster::scheduler::testing
