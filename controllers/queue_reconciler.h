// The status that a Queue should show. Pure: what the core says, what is stored, the time; out
// comes the whole status to write, or nothing.
#pragma once

#include <optional>

#include "crds/queue.h"
#include "scheduler/base/ids.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers {

// nullopt: what is stored is right.
[[nodiscard]] std::optional<crds::QueueStatus> ReconcileQueue(const scheduler::QueueStatus& queue,
                                                              const crds::Queue& object, Wall now);

}  // namespace muster::controllers
