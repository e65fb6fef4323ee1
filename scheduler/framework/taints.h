// Taints against tolerations, as Kubernetes matches them (v1.Toleration.ToleratesTaint).
#pragma once

#include <span>

#include "scheduler/model/event.h"

namespace muster::scheduler {

[[nodiscard]] bool Tolerates(const Toleration& toleration, const Taint& taint);
[[nodiscard]] bool Tolerates(std::span<const Toleration> tolerations, const Taint& taint);

}  // namespace muster::scheduler
