// The columns of Jobs, ReplicaSets and PodDisruptionBudgets (printJob, printReplicaSet and
// printPodDisruptionBudget of k8s.io/kubernetes/pkg/printers/internalversion).
#pragma once

#include <cstdint>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

[[nodiscard]] Json JobCells(const Json& job, std::int64_t now_ms);
[[nodiscard]] Json ReplicaSetCells(const Json& set, std::int64_t now_ms);
[[nodiscard]] Json BudgetCells(const Json& budget, std::int64_t now_ms);

}  // namespace muster::e2e
