// Open entries that cannot be bound as they were decided, although others of their members may be
// bound already: a member that is lost is replaced by a pod that waits, one whose node takes it no
// more is moved. The entry, its time-out and its minimums stay; what finds no place waits for room
// until the entry is out of time.
#pragma once

#include <vector>

#include "scheduler/solve/cycle.h"

namespace muster::scheduler {

// Of the entries that lack something, whatever changed: they go before everybody else, for they
// hold what the others of their gang have.
void AmendEntries(Cycle& cycle);

// The entry takes other members, or members on other nodes.
[[nodiscard]] bool MayBeAmended(const Cluster& cluster, const EntryRow& entry);
// And new ones: nothing is wrong with the gang itself.
[[nodiscard]] bool MayGetPods(const Core& core, const EntryRow& entry);
// Its members that wait for another node.
[[nodiscard]] std::vector<PodId> StrandedOf(const Cluster& cluster, const EntryRow& entry);

}  // namespace muster::scheduler
