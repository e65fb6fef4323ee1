#include "e2e/owners/replica_set.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "e2e/owners/cache.h"
#include "e2e/owners/pod_template.h"

namespace muster::e2e {
namespace {

// Of those that are to go: unbound, then not ready, then the youngest (ActivePodsWithRanks).
std::vector<const Json*> InOrderOfLoss(std::vector<const Json*> pods) {
  std::ranges::stable_sort(pods, [](const Json* a, const Json* b) {
    const auto rank = [](const Json& pod) {
      if (StringAt(pod, {"spec", "nodeName"}).empty()) return 0;
      return HasTrueCondition(pod, "Ready") ? 2 : 1;
    };
    if (rank(*a) != rank(*b)) return rank(*a) < rank(*b);
    return StringAt(*a, {"metadata", "creationTimestamp"}) >
           StringAt(*b, {"metadata", "creationTimestamp"});
  });
  return pods;
}

Json StatusOf(const Json& set, const std::vector<const Json*>& active) {
  const auto ready = std::ranges::count_if(
      active, [](const Json* pod) { return HasTrueCondition(*pod, "Ready"); });
  Json status = {{"replicas", active.size()},
                 {"observedGeneration", IntAt(set, {"metadata", "generation"}).value_or(0)}};
  if (!active.empty()) status["fullyLabeledReplicas"] = active.size();
  if (ready > 0) {
    status["readyReplicas"] = ready;
    status["availableReplicas"] = ready;
  }
  return status;
}

}  // namespace

ReplicaSetStep PlanReplicaSet(const Json& set, const std::vector<const Json*>& pods) {
  std::vector<const Json*> active;
  for (const Json* pod : pods) {
    if (!IsTerminalPod(*pod) && !IsLeaving(*pod)) active.push_back(pod);
  }
  ReplicaSetStep step;
  const std::int64_t wanted = IntAt(set, {"spec", "replicas"}).value_or(0);
  const std::int64_t missing = wanted - std::ssize(active);
  Json status = StatusOf(set, active);
  if (status != set.value("status", Json::object())) step.status = std::move(status);
  if (IsLeaving(set)) return step;
  const std::string prefix = StringAt(set, {"metadata", "name"}) + "-";
  for (std::int64_t i = 0; i < missing; ++i) step.create.push_back(PodOfTemplate(set, prefix));
  for (const Json* pod : InOrderOfLoss(active)) {
    if (std::ssize(step.remove) >= -missing) break;
    step.remove.push_back(*pod);
  }
  return step;
}

}  // namespace muster::e2e
