// Reads the numbers out of the message of a gang that waits, by name: "nodes", "Insufficient cpu",
// "fit", "short nvidia.com/gpu", "held default/a nvidia.com/gpu", ... What it does not know it
// leaves.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace muster::e2e {

// Amounts in the inner unit.
using Numbers = std::map<std::string, std::int64_t>;

[[nodiscard]] Numbers NumbersIn(const std::string& message);

}  // namespace muster::e2e
