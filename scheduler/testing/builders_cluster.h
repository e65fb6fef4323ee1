// What tests of the cluster model say often, on top of the builders of events.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/model/cluster.h"
#include "scheduler/testing/builders.h"

namespace muster::scheduler::testing {

inline constexpr std::string_view kGpu = "nvidia.com/gpu";

[[nodiscard]] inline std::vector<Amount> Gpus(std::string_view count) {
  return {{kGpu, count}};
}
[[nodiscard]] inline std::vector<Amount> Cpus(std::string_view count) {
  return {{"cpu", count}};
}

// As a Binding of ours leaves it, pins included.
[[nodiscard]] inline PodSeen Bound(PodSeen pod, const std::string& node, const std::string& queue) {
  const Uid group = pod.gang.single_pod ? Uid() : "uid-group-" + pod.gang.name;
  return BoundTo(std::move(pod), node, queue, group);
}
[[nodiscard]] inline PodSeen Ended(PodSeen pod, PodState state) {
  pod.state = state;
  return pod;
}

template <class... Events>
void ApplyAll(Cluster& cluster, const Events&... events) {
  (cluster.Apply(Event(events)), ...);
}

}  // namespace muster::scheduler::testing
