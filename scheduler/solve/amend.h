// Open entries that cannot be bound as they were decided, although others of their members may be
// bound already: a member that is lost is replaced by a pod that waits, one whose node takes it no
// more is moved. The entry, its time-out and its minimums stay; what finds no place waits for room
// until the entry is out of time.
#pragma once

#include <cstdint>
#include <string>

#include "scheduler/solve/cycle.h"

namespace muster::scheduler {

// Of the entries that lack something, whatever changed: they go before everybody else, for they
// hold what the others of their gang have.
void AmendEntries(Cycle& cycle);

// For the status of a gang that is being bound: what its entries lack; "" = nothing, else
// "; g-7 waits for another node, n8 takes it no more; 1 lost member is not replaced yet".
[[nodiscard]] std::string LackText(const Cluster& cluster, GangId gang);

}  // namespace muster::scheduler
