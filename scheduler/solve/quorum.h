// How far a gang is from its minimum: as a whole, and in each of its sub-groups. Counts members by
// their records; knows nothing of nodes, of quota, or of whether the gang may be tried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/model/cluster.h"

namespace muster::scheduler {

// Which members count; each includes the one before.
enum class Reach : std::uint8_t {
  kActive,    // Bound, or succeeded.
  kPromised,  // An open entry of the gang will bind it.
  kExisting,  // It waits, behind a gate or not.
};

struct Shortfall {
  // With so many members more the gang and each of its sub-groups has its minimum; 0 = it has.
  std::int32_t total = 0;
  std::vector<std::int32_t> of;  // Of `total`, by sub-group; what is left may be any members.
};
[[nodiscard]] Shortfall ShortfallOf(const Cluster& cluster, GangId gang, Reach reach);
// Bound and succeeded members reach the minimum, and those of each sub-group reach its own.
[[nodiscard]] bool IsWhole(const Cluster& cluster, GangId gang);

// Members that count as succeeded: those that can be seen, those that went after they had, and
// those that the status has kept. Of what cannot be seen the sub-group does not count: it fills up
// whatever is short.
[[nodiscard]] std::int32_t Succeeded(const Cluster& cluster, GangId gang);

// So many members of the gang count.
[[nodiscard]] std::int32_t CountOf(const Cluster& cluster, GangId gang, Reach reach);

// By its label: an index into the gang's sub_groups. None: it has no such label, or the gang no
// such sub-group; then it counts for the minimum of the whole alone.
[[nodiscard]] std::optional<std::size_t> SubGroupOf(const GangRow& gang, const PodRow& pod);
// The same, where those of none stand behind the last.
[[nodiscard]] std::size_t PlaceOf(const GangRow& gang, const PodRow& pod);
// The members of each sub-group, in declared order, and behind them those of none.
[[nodiscard]] std::vector<MemberCounts> CountsBySubGroup(const Cluster& cluster, GangId gang);

// Members that wait to be placed, in the order in which they are: by rank (none last), then by
// sub-group as declared (none last), then by name.
[[nodiscard]] std::vector<PodId> Placeable(const Cluster& cluster, GangId gang);
// Those of them that fill the shortfall, as far as they suffice: of each sub-group the first that
// it needs, then the first of the others. Too few of one are not made up for by another.
[[nodiscard]] std::vector<PodId> FirstOf(const Cluster& cluster, GangId gang,
                                         const Shortfall& shortfall);
// The same; empty where they do not suffice.
[[nodiscard]] std::vector<PodId> MinimumSet(const Cluster& cluster, GangId gang,
                                            const Shortfall& shortfall);

}  // namespace muster::scheduler
