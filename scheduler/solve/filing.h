// Puts a gang where it belongs after something about it changed: into the class that asks for the
// same, or out of the backlog. Keeps the counts of its queue.
#pragma once

#include <string>

#include "scheduler/solve/cycle.h"

namespace muster::scheduler {

// There is a gang of this name. (A row that was dropped can still be found by it.)
[[nodiscard]] bool IsLive(const Cluster& cluster, const Key& key);

// `woken_by`: what changed it, "" for our own decision or time.
void FileGang(Cycle& cycle, GangId gang, const std::string& woken_by = {});

}  // namespace muster::scheduler
