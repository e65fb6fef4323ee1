// How far the members of an open entry have come. Reads the core.
#pragma once

#include <cstdint>

#include "scheduler/solve/core.h"
#include "scheduler/solve/quorum.h"

namespace muster::scheduler {

// Neither bound nor gone.
[[nodiscard]] bool IsUnsettled(Record record);

// For the minimum of the entry. One that somebody else has bound elsewhere is use of that node; it
// is a member only with our pin.
[[nodiscard]] bool IsDone(const Cluster& cluster, const EntryRow& entry,
                          const EntryRow::Member& member, PodId pod);

// It will never count for the entry, and nothing that was sent for it can act any more: its pod is
// gone or on its way out, has failed, or is somebody else's.
[[nodiscard]] bool IsLost(const Cluster& cluster, const EntryRow& entry,
                          const EntryRow::Member& member);

struct EntryCounts {
  std::int32_t done = 0;       // Bound for it, or succeeded.
  std::int32_t unsettled = 0;  // Neither bound nor gone.
};
[[nodiscard]] EntryCounts CountMembers(const Cluster& cluster, const EntryRow& entry);

// What the members that are not lost leave of the minimums of the entry. Where those of the gang
// were lowered since, these count; one that was raised counts from the next attempt on.
[[nodiscard]] Shortfall LackOf(const Cluster& cluster, const EntryRow& entry);

// The pod, whose amounts are in the use of the node already, fits there.
[[nodiscard]] bool StillFits(const Core& core, PodId pod, NodeId node);

}  // namespace muster::scheduler
