// What the cases of the kill matrix keep of a look at a world.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "e2e/suites/kill_world.h"

namespace muster::e2e {

using NodeByUid = std::map<std::string, std::string>;

// For what comes before the kill.
inline constexpr std::int64_t kPatienceMs = 60'000;

// "bound: 7"
[[nodiscard]] std::string Counted(const std::string& what, std::int64_t count);
// Where the members are bound that are not being deleted.
[[nodiscard]] NodeByUid BoundOf(const std::vector<Member>& members);
// Those that the gang was decided for.
[[nodiscard]] std::set<std::string> FirstNodes();

}  // namespace muster::e2e
