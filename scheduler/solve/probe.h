// What a waiting gang lacks, found by a what-if: place what fits, look at the first member that
// does not, take everything back. Numbers of now; nothing is remembered.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/model/cluster.h"
#include "scheduler/solve/work.h"

namespace muster::scheduler {

struct Core;

struct Probe {
  std::int32_t placed = 0;             // Of the pods asked about.
  std::optional<std::size_t> missing;  // The first of them that finds no node; none: all fit.
  std::vector<std::size_t> unplaced;   // All that find none.
  // Of the missing one, node by node. With topology.required of one that comes first: a node that
  // has room for it now says what is wrong with its domain.
  std::map<std::string, std::int32_t> reasons;
  // topology.required alone is in the way: the cluster has the slots, or would with nothing on its
  // nodes, and no domain does.
  bool only_topology = false;
  std::string where;  // " in rack r2": the domain that takes most; the rest is about it. "" = none.
  // The resource that is short on most nodes, and how much of it the missing pods ask for.
  std::string resource;
  std::int64_t short_by = 0;
  std::int64_t needs = 0;  // Of `resource`, by the missing one.
  std::vector<std::pair<std::string, std::int64_t>> holders;
  // Of `resource`, on one of the nodes that are eligible for the missing one.
  std::int64_t most_free = 0;
  std::string most_free_node;  // "" = no node is eligible.
  std::string refused;         // By a Permit plugin; all fit then.
};

// The last probe of a gang that has nothing placed, kept while no cell and no name of a holder
// changes: gangs that ask for the same are asked about one after the other.
struct ProbeCache {
  std::uint64_t seq = 0;  // Of the change log, after the probe was taken back.
  std::vector<ShapeId> shapes;
  TopologyRequest topology;
  Probe probe;
};

[[nodiscard]] Probe ProbePods(Core& core, GangId gang, const std::vector<PodId>& pods);
// Whether a node has room for one more pod of this shape; the pod itself stays where it is.
[[nodiscard]] Probe ProbeAlone(Core& core, GangId gang, PodId pod);

// " Needs 8 nvidia.com/gpu on one node; most free is 4 on node-b."; "" = it is not told by amounts.
[[nodiscard]] std::string NeedsText(const Probe& probe);

// A request of some pod that no node could ever meet, as NeverFits says it; "" = none.
[[nodiscard]] std::string NeverFitsText(const Cluster& cluster, const std::vector<Demand>& demands);

}  // namespace muster::scheduler
