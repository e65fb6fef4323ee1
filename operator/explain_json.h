// The last decision about a gang, as the JSON of /explain. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "scheduler/solve/scheduler.h"

namespace muster::app {

// {gang, phase, reason, message, attempt, wokenBy, decisionMicroseconds, queuePosition,
// nodes[{name, reason}], scores[{node, total, plugins{}}], placed[{pod, node}]}, in this order.
// `gang` is "namespace/name"; an empty reason of a node means that it fits.
[[nodiscard]] std::string ExplainJson(const scheduler::Explanation& explanation,
                                      std::int64_t decision_us);

}  // namespace muster::app
