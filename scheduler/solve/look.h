// How the nodes look to a pod: reasons and scores in the words of /explain. Pure, but
// for the indexes.
#pragma once

#include "scheduler/solve/core.h"

namespace muster::scheduler {

// Verdicts of now, without `woken_by`.
[[nodiscard]] LastAttempt LookAtNodes(const Core& core, ShapeIndexes& indexes, PodId pod);

}  // namespace muster::scheduler
