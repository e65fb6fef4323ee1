// Which closed classes may have become possible: the Needs of a refusal are asked again, each in
// constant time. Slots of a shape come from its index, room in a queue from its usage. A class is
// opened only if every one of its Needs is met now, so an event that does not help it costs it no
// attempt.
#pragma once

#include "scheduler/solve/cycle.h"

namespace muster::scheduler {

void WakeClasses(Cycle& cycle);

// The Needs, each in constant time. The nodes' is exact for one shape; several may have their slots
// each and not together. `by`: where there is no index, what refused the class says what to
// believe.
[[nodiscard]] bool BoundPasses(Core& core, const ClassKey& key, RefusedBy by);
[[nodiscard]] bool QuotaAllows(const Cluster& cluster, const ClassKey& key);

}  // namespace muster::scheduler
