// Finds a node for every pod of a list, or for none, on an open Transaction. Pods of one shape are
// counted from the shape index: if the slots suffice the placement exists, and whole nodes are
// filled, best first; in domains as place_domains.h says. Several shapes: most constrained first,
// with backtracking over how many pods of a shape each node gets; exhaustive up to the budget in
// steps, in one domain after the other, the best fit first. Whether all is found says the state of
// the nodes alone: scores of scope kCluster choose among the nodes that will do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/model/transaction.h"
#include "scheduler/solve/domain_range.h"
#include "scheduler/solve/shape_indexes.h"
#include "scheduler/solve/work.h"

namespace muster::scheduler {

struct Placement {
  bool ok = false;
  bool searched = false;                // Every shape had its slots; together they were tried.
  bool out_of_steps = false;            // Given up by the budget: there might have been a way.
  std::vector<Assignment> assignments;  // In the order of the pods given.
};

// What the search works on. The Transaction is rolled back to where it was when nothing is found.
struct PlaceContext {
  Cluster& cluster;
  ShapeIndexes& indexes;
  Transaction& transaction;
  std::int32_t& steps_left;
  const PluginSet* plugins = nullptr;  // nullptr: how many fit is all that matters.
};

[[nodiscard]] Placement PlaceAll(const PlaceContext& context, std::span<const PodId> pods,
                                 const DomainRange& range = {});

// As many as fit, greedily in the order given, whatever becomes of the rest; each step one node.
// Where the range has no domain for all, in the one of the outer level that takes most.
[[nodiscard]] Placement PlaceSome(const PlaceContext& context, std::span<const PodId> pods,
                                  const DomainRange& range = {});

}  // namespace muster::scheduler
