// Where the topology of a gang lets its members go. Reads the cluster; knows nothing of room.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/framework/plugin_set.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/topology.h"

namespace muster::scheduler {

// All of one domain: of the inner level where one has the room, else of the next level outward, up
// to the outer one. Both 0: anywhere.
struct DomainRange {
  LevelId inner = 0, outer = 0;
  // Nodes of the members that are there, once for each: the others join them.
  std::vector<NodeId> beside{};
  [[nodiscard]] bool anywhere() const { return inner == 0; }
};

// Members of the gang that are bound or reserved are there, but not those of `without`.
[[nodiscard]] DomainRange RangeOf(const Cluster& cluster, const Topology& topology, GangId gang,
                                  std::span<const PodId> without = {});
// Nothing of the gang counts as there.
[[nodiscard]] DomainRange EmptyRangeOf(const Cluster& cluster, const Topology& topology,
                                       GangId gang);

// Members are on a node that was deleted: in which domain is known again when it is back, or needs
// not be when they are gone. Until then no domain is theirs.
[[nodiscard]] bool IsUnknown(const Topology& topology, const DomainRange& range);

// The domains of a level that come into question, by id. Where members are there it is theirs: the
// one of the outer level that most of them are in (somebody else may have bound one elsewhere, and
// labels of nodes may change), and inside it again. If none of them is in a domain of the level,
// that is all domains of the outer level, and none of another.
[[nodiscard]] std::vector<DomainId> DomainsOf(const Topology& topology, const DomainRange& range,
                                              LevelId level);
// The domain of the outer level that the members who are there share, or most of them; none: they
// are not there, or in no domain, or may be anywhere.
[[nodiscard]] std::optional<DomainId> HomeOf(const Topology& topology, const DomainRange& range);

// A level that it names and that there is not, as its condition says it; "" = none.
[[nodiscard]] std::string UnknownLevelText(const PluginSet& plugins, const GangRow& gang);

}  // namespace muster::scheduler
