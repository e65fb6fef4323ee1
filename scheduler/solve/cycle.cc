#include "scheduler/solve/cycle.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduler/solve/admit.h"
#include "scheduler/solve/amend.h"
#include "scheduler/solve/filing.h"
#include "scheduler/solve/timed.h"
#include "scheduler/solve/upkeep.h"
#include "scheduler/solve/wake.h"

namespace muster::scheduler {
namespace {

bool SameQuotas(const std::vector<QueueSeen::Quota>& a, const std::vector<QueueSeen::Quota>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::tie(x.resource, x.nominal, x.limited, x.borrowing_limit) ==
           std::tie(y.resource, y.nominal, y.limited, y.borrowing_limit);
  });
}

bool SameSpec(const QueueSeen& a, const QueueSeen& b) {
  return std::tie(a.uid, a.has_selector, a.namespace_selector, a.stopped, a.misconfigured) ==
             std::tie(b.uid, b.has_selector, b.namespace_selector, b.stopped, b.misconfigured) &&
         SameQuotas(a.resources, b.resources);
}

// What was touched, and whose time has come. A queue whose spec changed moves the gangs that wait
// in it; its usage alone does not.
// NOLINTNEXTLINE(readability-function-cognitive-complexity): one pass per kind of change.
void CollectDirty(Cycle& cycle) {
  Core& core = cycle.core;
  if (!core.primed) {
    // The first look: everything is new, whatever was touched.
    for (std::uint32_t i = 0; i < core.cluster.gang_rows(); ++i) cycle.dirty[GangId{i}] = "";
    for (std::uint32_t i = 0; i < core.cluster.queue_rows(); ++i) {
      const QueueRow& row = core.cluster.queue(QueueId{i});
      QueueInfo& info = core.queues[QueueId{i}];
      info.exists = row.exists;
      info.spec = row.spec;
      if (row.exists) cycle.changed_queues.insert(row.spec.name);
    }
    core.retries.KeepIf([&core](const Key& key) { return IsLive(core.cluster, key); });
    core.primed = true;
  }
  const Touched& touched = core.cluster.touched();
  for (const auto& item : touched.gangs) cycle.dirty[item.id] = touched.causes[item.cause];
  for (const auto& item : touched.queues) {
    const QueueRow& row = core.cluster.queue(item.id);
    cycle.changed_queues.insert(row.spec.name);
    QueueInfo& info = core.queues[item.id];
    if (info.exists == row.exists && SameSpec(info.spec, row.spec)) continue;
    info.exists = row.exists;
    info.spec = row.spec;
    for (const GangId gang : info.waiting) {
      cycle.dirty.try_emplace(gang, touched.causes[item.cause]);
    }
  }
  for (const Key& key : core.retries.TakeDue(cycle.now.mono)) {
    if (const std::optional<GangId> gang = core.cluster.FindGang(key)) {
      cycle.dirty.try_emplace(*gang, "");
    }
  }
}

void FileDirty(Cycle& cycle) {
  const Cluster& cluster = cycle.core.cluster;
  while (!cycle.dirty.empty()) {
    // Who is undone on the way gets an entry: in the order of names, since rows tell of the past.
    const std::map<GangId, std::string> dirty = std::exchange(cycle.dirty, {});
    std::vector<GangId> order;
    order.reserve(dirty.size());
    for (const auto& [gang, cause] : dirty) order.push_back(gang);
    std::stable_sort(order.begin(), order.end(),
                     [&](GangId a, GangId b) { return cluster.gang(a).key < cluster.gang(b).key; });
    for (const GangId gang : order) FileGang(cycle, gang, dirty.at(gang));
  }
}

// True: all were looked at. False: the budget is used up.
bool Drain(Cycle& cycle, Work::Kind kind) {
  while (true) {
    const std::optional<GangId> head = cycle.core.backlog.Head(kind);
    if (!head) return true;
    if (cycle.admits_left <= 0 || cycle.steps_left <= 0) return false;
    --cycle.steps_left;
    if (kind == Work::Kind::kMinimum) {
      TryMinimum(cycle, *head);
    } else {
      TrySurplus(cycle, *head);
    }
  }
}

void Finish(Cycle& cycle) {
  Core& core = cycle.core;
  core.indexes.SetBaseline(core.cluster);
  core.cluster.ClearTouched();
  ScheduleOverdue(core, cycle.now.mono, !cycle.decision.more);
  cycle.decision.changed_gangs.assign(cycle.changed_gangs.begin(), cycle.changed_gangs.end());
  cycle.decision.changed_queues.assign(cycle.changed_queues.begin(), cycle.changed_queues.end());
  std::optional<Ticks>& wake = cycle.decision.wake_at;
  wake = core.retries.next_due();
  for (const auto& at : {NextTimeout(core.cluster, cycle.now.mono), core.retries.overdue_at}) {
    if (at && (!wake || *at < *wake)) wake = at;
  }
}

}  // namespace

Decision RunCycle(Core& core, Now now, Budget budget) {
  core.now = now;
  if (!core.cluster.synced()) return {};
  Cycle cycle{.core = core,
              .now = now,
              .decision = {},
              .all_steps = budget.search_steps,
              .steps_left = budget.search_steps,
              .admits_left = budget.admits,
              .dirty = {},
              .changed_gangs = {},
              .changed_queues = {}};
  if (!core.cluster.touched().nodes.empty()) ++core.epoch;
  CollectDirty(cycle);
  GiveUpEntries(cycle);
  AmendEntries(cycle);
  FileDirty(cycle);
  WakeClasses(cycle);
  OpenSearched(cycle);
  const bool all_opened = OpenOverdue(cycle);
  // Surplus waits for the minimum of everybody who can run.
  const bool drained = Drain(cycle, Work::Kind::kMinimum) && Drain(cycle, Work::Kind::kSurplus);
  cycle.decision.more = !drained || !all_opened;
  Finish(cycle);
  return std::move(cycle.decision);
}

}  // namespace muster::scheduler
