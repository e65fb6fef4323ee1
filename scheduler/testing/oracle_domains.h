// Brute force for gangs with a topology: of all ways to spread pods of one shape over the nodes, is
// the one that was found allowed, and is none better. For small clusters of two levels only; it
// knows nothing of trees, indexes or sums that are kept.
#pragma once

#include <string>
#include <vector>

namespace muster::scheduler::testing {

struct DomainNode {
  int slots = 0;
  int zone = 0, rack = 0;  // 0: it has no such label.
};
struct DomainCase {
  std::vector<DomainNode> nodes;
  int pods = 0;
  int outer = 0, inner = 0;  // 0 the cluster, 1 zone, 2 rack.
};

// `counts`: pods on each node; empty: none was placed. "" = as it must be, else what is wrong.
[[nodiscard]] std::string DomainProblem(const DomainCase& c, const std::vector<int>& counts);

}  // namespace muster::scheduler::testing
