// What a gang that is being bound waits for: another node for one of its members, or another pod in
// the place of one. Words and numbers of now; nothing is remembered.
#pragma once

#include <optional>
#include <string>

#include "scheduler/solve/core.h"

namespace muster::scheduler {

struct EntryWait {
  std::string reason;  // Of condition Scheduled; "" = nothing is in its way.
  // "" = it lacks nothing, else what follows "7 of 8 members bound to 7 nodes":
  // "; g-7 waits for another node, n8 takes it no more: 0/8 nodes are available: ..."
  std::string text;
  std::optional<PodId> pod;  // The one that finds no node, if that is what it waits for.
};
[[nodiscard]] EntryWait WaitOf(Core& core, GangId gang);

}  // namespace muster::scheduler
