// A Decision in every field, for comparisons: more than its canonical text, which is for readers.
#pragma once

#include <string>

#include "scheduler/solve/scheduler.h"

namespace muster::scheduler::testing {

// All of it but changed_gangs and changed_queues.
[[nodiscard]] std::string EveryField(const Decision& decision);

// All that is decided at one instant, in every field but changed_*. The budget may cut it elsewhere
// after a rebuild, since that looks again at what the live core knows to be refused; so only the
// last wake_at counts.
[[nodiscard]] std::string DecideAll(Scheduler& scheduler, Now now, Budget budget);

}  // namespace muster::scheduler::testing
