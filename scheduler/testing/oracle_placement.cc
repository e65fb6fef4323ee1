#include "scheduler/testing/oracle_placement.h"

#include <algorithm>
#include <cstddef>

namespace muster::scheduler::testing {

bool AnyPlacement(const std::vector<int>& free, const std::vector<int>& sizes) {
  if (sizes.empty()) return true;
  if (free.empty()) return false;
  // Counts through all assignments: a number of base `nodes` with one digit for each pod.
  std::vector<std::size_t> node(sizes.size(), 0);
  while (true) {
    std::vector<int> left = free;
    for (std::size_t i = 0; i < sizes.size(); ++i) left[node[i]] -= sizes[i];
    if (std::all_of(left.begin(), left.end(), [](int l) { return l >= 0; })) return true;
    std::size_t digit = 0;
    while (digit < node.size() && ++node[digit] == free.size()) node[digit++] = 0;
    if (digit == node.size()) return false;
  }
}

}  // namespace muster::scheduler::testing
