// A Decision in every field, for comparisons: more than its canonical text, which is for readers.
#pragma once

#include <string>

#include "scheduler/solve/scheduler.h"

namespace muster::scheduler::testing {

// All of it but changed_gangs and changed_queues.
[[nodiscard]] std::string EveryField(const Decision& decision);

}  // namespace muster::scheduler::testing
