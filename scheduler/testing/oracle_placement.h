// Brute force: is there any way to give every pod a node. For small clusters only; it knows
// nothing of indexes, transactions or order.
#pragma once

#include <vector>

namespace muster::scheduler::testing {

// `free` per node, `sizes` per pod, one resource.
[[nodiscard]] bool AnyPlacement(const std::vector<int>& free, const std::vector<int>& sizes);

}  // namespace muster::scheduler::testing
