// The status that a PodGroup should show. Pure: what the core says, what is stored, the time; out
// comes the whole status to write, or nothing.
#pragma once

#include <optional>

#include "crds/pod_group.h"
#include "scheduler/base/ids.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers {

// nullopt: what is stored is right, or the core has not looked at the gang yet, or it speaks of
// another object of this name.
[[nodiscard]] std::optional<crds::PodGroupStatus> ReconcilePodGroup(
    const scheduler::GangStatus& gang, const crds::PodGroup& group, Wall now);

// The gang ended and its pods were cleaned up since: it stays Succeeded or Failed, whatever their
// absence looks like.
[[nodiscard]] bool StaysFinished(const scheduler::GangStatus& gang, const crds::PodGroup& group);

// Phase, reasons and the conditions' status are the same: what differs are counts and texts.
[[nodiscard]] bool DifferInNumbersAlone(const crds::PodGroupStatus& a,
                                        const crds::PodGroupStatus& b);

}  // namespace muster::controllers
