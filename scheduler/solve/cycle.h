// One Decide, step by step: entries that ended or lack a member, gangs that changed, classes that
// may have room now, then minimums in order, then surplus members. Everything it decides is
// committed to the cluster when it returns.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "scheduler/solve/core.h"

namespace muster::scheduler {

// What the steps of one Decide share.
struct Cycle {
  Core& core;
  Now now;
  Decision decision;
  std::int32_t all_steps = 0;
  std::int32_t steps_left = 0;
  std::int32_t admits_left = 0;
  // Gangs to be filed anew, with what changed them ("" = time).
  std::map<GangId, std::string> dirty;
  std::set<Key> changed_gangs;
  std::set<std::string> changed_queues;
};

[[nodiscard]] Decision RunCycle(Core& core, Now now, Budget budget);

}  // namespace muster::scheduler
