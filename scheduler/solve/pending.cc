#include "scheduler/solve/pending.h"

namespace muster::scheduler {
namespace {

// Where the placeable members of a gang wait.
std::int64_t& PlaceOf(const Core& core, GangId id, const GangInfo& info, PendingPods& pods) {
  if (const ClassKey* key = core.backlog.ClassOf(id)) {
    const bool open = core.backlog.at(*key).refused_by == RefusedBy::kNobody;
    return open ? pods.active : pods.unschedulable;
  }
  const Retry& retry = core.retries.Get(info.key, core.cluster.gang(id).uid);
  return retry.not_before > core.now.mono ? pods.backoff : pods.gated;
}

}  // namespace

PendingPods CountPending(const Core& core) {
  PendingPods pods;
  for (const auto& [id, info] : core.gangs) {
    const MemberCounts counts = core.cluster.counts(id);
    pods.gated += counts.gated;
    if (counts.placeable > 0) PlaceOf(core, id, info, pods) += counts.placeable;
  }
  return pods;
}

}  // namespace muster::scheduler
