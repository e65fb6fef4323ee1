// Entries that must be given up: refused for good, out of time, without their PodGroup, or found at
// take-over with nothing bound and fitting no more. Of one that was found half bound the members
// that fit no more are stranded (amend.h). And gangs that are half bound while no entry speaks for
// them: they are undone when their time is up.
#pragma once

#include "scheduler/solve/cycle.h"

namespace muster::scheduler {

// Emits the Abandons and the Strands, and marks the gangs dirty.
void GiveUpEntries(Cycle& cycle);

// The entry that is about to be closed has brought its gang to the minimum that it was admitted
// with: the gang has run. Before any Decide, which may come late: a member may be lost by then, or
// the minimum raised.
[[nodiscard]] bool EndsInARun(const Cluster& cluster, const EntryClosed& closed);

// The gang has bound members, too few, never ran whole, and no entry is open for it.
[[nodiscard]] bool IsHalfBound(const Core& core, GangId gang);
// Starts, stops or acts on the time-out of a half-bound gang. True: it was undone just now.
bool UndoHalfBound(Cycle& cycle, GangId gang);

// The next instant after `now` at which an entry runs out of time.
[[nodiscard]] std::optional<Ticks> NextTimeout(const Cluster& cluster, Ticks now);

}  // namespace muster::scheduler
