// Where the pods of ours that wait would stand in kube-scheduler's queues. Shown only.
#pragma once

#include "scheduler/solve/core.h"

namespace muster::scheduler {

[[nodiscard]] PendingPods CountPending(const Core& core);

}  // namespace muster::scheduler
