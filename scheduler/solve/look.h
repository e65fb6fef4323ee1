// How the nodes look to one shape of pod: reasons and scores in the words of /explain. Reads the
// core; what it keeps is a cache.
#pragma once

#include "scheduler/solve/core.h"

namespace muster::scheduler {

// Verdicts of now, without `woken_by`.
[[nodiscard]] LastAttempt LookAtNodes(Core& core, ShapeId shape);

}  // namespace muster::scheduler
