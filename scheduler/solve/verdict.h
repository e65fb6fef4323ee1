// Why a gang waits: the reasons of its two conditions, the one text, and what its members are told.
#pragma once

#include <string>

#include "scheduler/solve/core.h"
#include "scheduler/solve/probe.h"
#include "scheduler/solve/work.h"

namespace muster::scheduler {

struct WaitVerdict {
  std::string admitted_reason;   // Of Admitted=False; "" = nothing is known yet.
  std::string scheduled_reason;  // Of Scheduled=False.
  std::string reason;            // Of the one that is the cause.
  std::string message;
  std::string member_reason;  // Of PodScheduled=False, for the members it waits for.
  // Placement refused: the first member that finds no node and what it lacks.
  std::optional<PodId> missing;
  std::string missing_reasons;
  std::int32_t more = 0;  // Members beside the ones that would fit.
};

// `work` is what Assess says; kHeld, kMinimum or kSurplus.
[[nodiscard]] WaitVerdict ExplainWait(Core& core, GangId gang, const Work& work);

}  // namespace muster::scheduler
