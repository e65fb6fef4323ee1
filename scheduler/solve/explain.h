// Status of gangs and queues, worded with the numbers of now. Reads the core; what it tries in a
// what-if it takes back.
#pragma once

#include <optional>
#include <string>

#include "scheduler/solve/core.h"

namespace muster::scheduler {

[[nodiscard]] std::optional<GangStatus> StatusOf(Core& core, GangId gang);
[[nodiscard]] std::optional<QueueStatus> StatusOf(const Core& core, QueueId queue);
[[nodiscard]] std::optional<Explanation> ExplainGang(Core& core, GangId gang);
[[nodiscard]] std::optional<Explanation> ExplainPod(Core& core, PodId pod);

}  // namespace muster::scheduler
