// The disruption controller's decision about one PodDisruptionBudget, as a pure function of it, of
// the pods that it selects and of their ReplicaSets (pkg/controller/disruption/disruption.go).
// Other controllers have no count of replicas here: a budget that needs one says SyncFailed, as it
// does of the pods of a Job.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

struct BudgetStep {
  Json status;  // Null: it stays.
  // An evicted pod is counted as gone until then, though it is still there.
  std::int64_t again_ms = 0;  // 0 = none such.
};
// The object that an ownerReference's UID names, or null.
using FindOwner = std::function<const Json*(const std::string& uid)>;

[[nodiscard]] bool BudgetSelects(const Json& budget, const Json& pod);
[[nodiscard]] BudgetStep PlanBudget(const Json& budget, const std::vector<const Json*>& pods,
                                    const FindOwner& owner, std::int64_t now_ms);

}  // namespace muster::e2e
