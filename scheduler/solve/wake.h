// Which closed classes may have become possible: the Needs of a refusal are asked again, each in
// constant time. Slots of a shape come from its index, room in a queue from its usage. A class is
// opened only if every one of its Needs is met now, so an event that does not help it costs it no
// attempt.
#pragma once

#include "scheduler/solve/cycle.h"

namespace muster::scheduler {

void WakeClasses(Cycle& cycle);

}  // namespace muster::scheduler
