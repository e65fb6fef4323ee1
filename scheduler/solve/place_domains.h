// Which domain takes the pods, and which of its nodes take how many, by the slots that the indexes
// have counted. Decides nothing about who goes first, and writes nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/solve/cluster_scores.h"
#include "scheduler/solve/domain_range.h"
#include "scheduler/solve/shape_index.h"

namespace muster::scheduler {

// A domain that may take pods, with its slots for all shapes that were asked for.
struct DomainSlots {
  DomainId domain;
  std::int64_t slots = 0;
};
// Every domain of the level that comes into question, with no slots yet.
[[nodiscard]] std::vector<DomainSlots> CandidatesOf(const Topology& topology,
                                                    const DomainRange& range, LevelId level);
// Leaves those that take so many pods of the shape, and adds their slots.
void Narrow(std::vector<DomainSlots>& candidates, const ShapeIndex& index, std::int64_t pods);
// Best fit: the one with the fewest slots first, so that larger ones stay whole; then by name.
void SortByFit(std::vector<DomainSlots>& candidates);

struct NodeShare {
  NodeId node;
  std::int32_t pods = 0;
};
// Nodes for so many pods, which the domain has slots for: of the domains inside it as few as
// possible, and among as many of them the ones whose largest is smallest, then whose next is (7
// pods over slots 3, 3, 2, 1: 3, 3, 1); a node that is in none of them counts as one. The same
// inside each of these; where there are none inside, nodes by score, `scores` included. Each is
// filled before the next one is used.
[[nodiscard]] std::vector<NodeShare> SharesIn(const ShapeIndex& index, const Topology& topology,
                                              const ClusterScores& scores, DomainId domain,
                                              std::int64_t pods);

}  // namespace muster::scheduler
