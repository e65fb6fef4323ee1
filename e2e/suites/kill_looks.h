// How the cases of the kill matrix look at a world again and again, and what they keep of a look.
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

template <class Condition>
bool WaitFor(std::int64_t patience_ms, const Condition& holds) {
  const std::int64_t until = SteadyMs() + patience_ms;
  while (!holds()) {
    if (SteadyMs() >= until) return false;
    SleepMs(20);
  }
  return true;
}

// "bound: 7"
[[nodiscard]] std::string Counted(const std::string& what, std::int64_t count);
// Where the members are bound that are not being deleted.
[[nodiscard]] NodeByUid BoundOf(const std::vector<Member>& members);
// Those that the gang was decided for.
[[nodiscard]] std::set<std::string> FirstNodes();

}  // namespace muster::e2e
