#include "scheduler/solve/filing.h"

#include <utility>

#include "scheduler/solve/domain_range.h"
#include "scheduler/solve/upkeep.h"

namespace muster::scheduler {
namespace {

void Count(Core& core, GangInfo& info, bool pending, bool admitted) {
  QueueInfo& queue = core.queues[info.queue];
  if (info.pending != pending) queue.pending += pending ? 1 : -1;
  if (info.admitted != admitted) queue.admitted += admitted ? 1 : -1;
  info.pending = pending;
  info.admitted = admitted;
}

// Out of the books of its queue.
void LeaveQueue(Cycle& cycle, GangId gang, GangInfo& info) {
  Core& core = cycle.core;
  Count(core, info, false, false);
  core.queues[info.queue].waiting.erase(gang);
  cycle.changed_queues.insert(core.cluster.queue(info.queue).spec.name);
}

void Forget(Cycle& cycle, GangId gang) {
  Core& core = cycle.core;
  const auto it = core.gangs.find(gang);
  if (it == core.gangs.end()) return;
  core.backlog.Remove(gang);
  LeaveQueue(cycle, gang, it->second);
  cycle.changed_gangs.insert(it->second.key);
  // The name may be in use again, under another row or this one.
  if (!IsLive(core.cluster, it->second.key)) core.retries.Forget(it->second.key);
  core.gangs.erase(it);
}

// A gang that is whole has proved that it can run: its errors are forgiven, and what it loses from
// now on is replaced.
void NoteWhole(Core& core, GangId id) {
  const GangRow& gang = core.cluster.gang(id);
  const MemberCounts counts = core.cluster.counts(id);
  const Retry& old = core.retries.Get(gang.key, gang.uid);
  // Nothing of it is left: it starts anew, whole or not at all.
  if (old.ran && counts.bound == 0 && gang.entries.empty()) {
    core.retries.Edit(gang.key, gang.uid).ran = false;
  }
  if (!gang.exists || counts.bound == 0) return;
  if (!IsWhole(core.cluster, id)) return;
  if (old.ran && old.failures == 0) return;
  if (old.ran && !gang.entries.empty()) return;  // A surplus entry may be failing right now.
  core.retries.NoteRun(gang.key, gang.uid);
}

ClassKey ClassKeyOf(Core& core, GangId gang, const Work& work) {
  const GangRow& row = core.cluster.gang(gang);
  ClassKey key{work.kind, row.queue, work.demands, row.topology};
  if (!row.topology.required.empty()) {
    const Topology& topology = core.indexes.TopologyOf(core.cluster);
    if (!RangeOf(core.cluster, topology, gang).beside.empty()) key.joins = gang;
  }
  if (work.kind == Work::Kind::kSurplus) {
    for (Demand& demand : key.demands) demand.count = 1;
  }
  return key;
}

void PutIntoClass(Core& core, GangId gang, const Work& work, const std::string& woken_by) {
  GangInfo& info = core.gangs.at(gang);
  const ClassKey key = ClassKeyOf(core, gang, work);
  const ClassKey* before = core.backlog.ClassOf(gang);
  const bool stays = before != nullptr && *before == key;
  const std::int32_t refusals = core.backlog.RefusalsOf(gang);
  core.backlog.File(gang, key, OrderOf(core.cluster, core.plugins, core.retries, gang));
  info.attempts += refusals - core.backlog.RefusalsOf(gang);
  const bool closed = core.backlog.at(key).refused_by != RefusedBy::kNobody;
  const std::int32_t total = core.cluster.counts(gang).total;
  // A gang that got a member is tried again, even where the members to place are as many as before.
  if (closed && stays && total > info.total) core.backlog.Open(key, woken_by);
  if (!stays && info.attempted) info.woken_by = woken_by;
  if (closed && !stays) info.attempted = true;  // Its class was refused; so it is.
}

// Only a gang of several shapes is searched for; of another, or of one that waits no more, nothing
// is remembered.
void KeepSearch(Core& core, GangId id, const Work& work) {
  const GangRow& gang = core.cluster.gang(id);
  const Retry& retry = core.retries.Get(gang.key, gang.uid);
  if (retry.searches == 0) return;
  if (work.kind != Work::Kind::kMinimum || work.demands.size() < 2) {
    core.retries.EndSearch(gang.key);
  } else if (retry.search_after > core.now.mono) {
    core.retries.Schedule(gang.key, retry.search_after);
  }
}

// Waits in its queue: not one that has ended, nor a gang of one whose pod somebody else has bound.
bool IsPending(const Cluster& cluster, GangId id, const Work& work) {
  const GangRow& gang = cluster.gang(id);
  if (!gang.exists) return false;
  if (work.kind == Work::Kind::kMinimum) return true;
  const MemberCounts counts = cluster.counts(id);
  if (work.kind != Work::Kind::kHeld || counts.bound > 0) return false;
  const bool unplaced = counts.placeable + counts.gated + counts.reserved + counts.terminating > 0;
  return unplaced || (counts.failed == 0 && !gang.key.single_pod);
}

}  // namespace

bool IsLive(const Cluster& cluster, const Key& key) {
  const std::optional<GangId> gang = cluster.FindGang(key);
  return gang.has_value() && cluster.gang(*gang).live;
}

void FileGang(Cycle& cycle, GangId gang, const std::string& woken_by) {
  Core& core = cycle.core;
  const GangRow& row = core.cluster.gang(gang);
  const auto old = core.gangs.find(gang);
  if (old != core.gangs.end() && (!row.live || old->second.key != row.key)) Forget(cycle, gang);
  if (!row.live) return;
  const auto [it, is_new] = core.gangs.try_emplace(gang);
  GangInfo& info = it->second;
  // It counts where it is charged, if it names another queue by now.
  const QueueId queue = PayerOf(core.cluster, gang).value_or(row.queue);
  if (is_new) {
    info.key = row.key;
    info.queue = queue;
  }
  if (info.queue != queue) {
    LeaveQueue(cycle, gang, info);
    info.queue = queue;
  }
  NoteWhole(core, gang);
  UndoHalfBound(cycle, gang);
  const Work work = Assess(core.cluster, core.plugins, core.retries, cycle.now, gang);
  KeepSearch(core, gang, work);
  // A gang has one wake-up: an earlier one, for another cause, has taken the place of this one.
  if (work.held == Work::Held::kBackoff) {
    core.retries.Schedule(row.key, core.retries.Get(row.key, row.uid).not_before);
  }
  if (work.kind == Work::Kind::kMinimum || work.kind == Work::Kind::kSurplus) {
    PutIntoClass(core, gang, work, woken_by);
  } else {
    info.attempts += core.backlog.RefusalsOf(gang);
    core.backlog.Remove(gang);
    info.attempted = true;
  }
  info.total = core.cluster.counts(gang).total;
  const MemberCounts counts = core.cluster.counts(gang);
  const bool keeps = KeepsAdmission(core.cluster, core.retries, gang);
  const bool pending = !keeps && IsPending(core.cluster, gang, work);
  const bool placed = counts.bound + counts.reserved > 0;
  Count(core, info, pending, !pending && placed && PayerOf(core.cluster, gang).has_value());
  std::set<GangId>& waiting = core.queues[row.queue].waiting;
  if (work.kind == Work::Kind::kNone) {
    waiting.erase(gang);
  } else {
    waiting.insert(gang);
  }
  cycle.changed_gangs.insert(row.key);
  cycle.changed_queues.insert(core.cluster.queue(row.queue).spec.name);
  cycle.changed_queues.insert(core.cluster.queue(queue).spec.name);
}

}  // namespace muster::scheduler
