// The ReplicaSet controller's decision about one ReplicaSet, as a pure function of it and its pods
// (pkg/controller/replicaset/replica_set.go). Pods that ended do not count; what was deleted is
// made again at once.
#pragma once

#include <vector>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

struct ReplicaSetStep {
  Json status;               // Null: it stays.
  std::vector<Json> create;  // Pods.
  std::vector<Json> remove;  // Pods, as they were seen.
};

[[nodiscard]] ReplicaSetStep PlanReplicaSet(const Json& set, const std::vector<const Json*>& pods);

}  // namespace muster::e2e
