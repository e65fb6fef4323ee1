#include "scheduler/solve/admit.h"

#include <algorithm>
#include <map>
#include <utility>

#include "scheduler/solve/filing.h"
#include "scheduler/solve/look.h"
#include "scheduler/solve/quota.h"
#include "scheduler/solve/timed.h"

namespace muster::scheduler {
namespace {

// One surplus entry stays well inside a page of the journal.
constexpr std::size_t kMaxSurplusPods = 256;

// Of the members of an entry that all must be bound: its part of them, at most what the gang needs.
std::vector<SubGroup> SubMinimums(const Cluster& cluster, const AdmitRequest& request) {
  if (request.detached) return {};
  const GangRow& gang = cluster.gang(request.gang);
  std::vector<SubGroup> subs = gang.sub_groups;
  for (SubGroup& sub : subs) {
    const auto here = std::count_if(request.pods.begin(), request.pods.end(), [&](PodId pod) {
      return cluster.pod(pod).sub_group == sub.name;
    });
    sub.min_member = std::min(sub.min_member, static_cast<std::int32_t>(here));
  }
  return subs;
}

// Nodes as the first member to be placed sees them, before anything is placed.
void RecordAttempt(Core& core, GangId gang, PodId first) {
  GangInfo& info = core.gangs.at(gang);
  info.last = LookAtNodes(core, core.indexes, first);
  if (info.attempted) {
    info.last.woken_by = info.woken_by.empty()
                             ? core.backlog.at(*core.backlog.ClassOf(gang)).woken_by
                             : info.woken_by;
  }
  info.woken_by.clear();
  info.attempted = true;
}

void Refuse(Cycle& cycle, GangId gang, RefusedBy by) {
  Core& core = cycle.core;
  const ClassKey key = *core.backlog.ClassOf(gang);
  const WaitClass& c = core.backlog.at(key);
  // A large class that was refused before says nothing new; its members' numbers are read anew when
  // somebody asks.
  constexpr std::size_t kTellAll = 256;
  const bool tell_all =
      c.opened_by == OpenedBy::kNews && (c.refusals == 0 || c.gangs.size() <= kTellAll);
  // All who were not told of any refusal are among those who joined.
  auto joined = core.backlog.TakeJoined(key);
  joined.insert(*c.gangs.begin());
  for (const auto& [order, member] : tell_all ? c.gangs : joined) {
    GangInfo& info = core.gangs.at(member);
    if (!tell_all && member != gang && info.attempted) continue;
    info.attempted = true;
    cycle.changed_gangs.insert(order.key);
  }
  for (const Demand& demand : key.demands) cycle.decision.refused_pods += demand.count;
  core.backlog.Close(key, by);
}

void RefusePlacement(Cycle& cycle, GangId gang, const Placement& placement, bool all_steps) {
  if (placement.out_of_steps && !all_steps) {
    // Others had used a part of them. It stays open, and first: the next Decide has them all.
    GangInfo& info = cycle.core.gangs.at(gang);
    info.woken_by = info.last.woken_by;
    return;
  }
  Refuse(cycle, gang, RefusedBy::kNodes);
  const std::int32_t steps = placement.out_of_steps ? cycle.all_steps : 0;
  if (placement.searched) NoteFailedSearch(cycle, gang, steps);
}

bool IsOverdue(const Core& core, GangId gang) {
  return core.backlog.at(*core.backlog.ClassOf(gang)).opened_by == OpenedBy::kOverdue;
}

}  // namespace

Decision::Bind BindOf(const Core& core, GangId gang, const Assignment& a) {
  const Cluster& cluster = core.cluster;
  std::map<std::string, std::string> annotations;
  const GangView view{cluster, gang, QueueTime(cluster, core.retries, gang)};
  for (const PreBindPlugin* plugin : core.plugins.pre_bind) plugin->PreBind(view, a, annotations);
  const NodeRow& node = cluster.node(a.node);
  return {cluster.pod(a.pod).uid,
          cluster.pod_key(a.pod),
          node.name,
          node.uid,
          cluster.pod(a.pod).sub_group,
          {annotations.begin(), annotations.end()}};
}

std::uint64_t CommitAdmit(Cycle& cycle, Transaction& transaction, const AdmitRequest& request) {
  Core& core = cycle.core;
  Cluster& cluster = core.cluster;
  const GangRow& gang = cluster.gang(request.gang);
  Decision::Admit admit;
  admit.gang = gang.key;
  admit.gang_uid = gang.uid;
  admit.charges = ChargesOf(cluster, DemandsOf(cluster, request.pods));
  admit.min_member = request.detached ? 0 : static_cast<std::int32_t>(request.pods.size());
  admit.sub_groups = SubMinimums(cluster, request);
  admit.timeout_ms = gang.timeout_ms;
  admit.queued = QueueTime(cluster, core.retries, request.gang);
  for (const PodId pod : request.pods) {
    // Placed, so it has a node.
    admit.pods.push_back(BindOf(core, request.gang, {pod, *cluster.node_of(pod)}));
  }
  admit.id = transaction.Commit({.gang = request.gang,
                                 .pods = request.pods,
                                 .charges = admit.charges,
                                 .min_member = admit.min_member,
                                 .sub_groups = admit.sub_groups,
                                 .timeout_ms = admit.timeout_ms,
                                 .now = cycle.now.mono});
  const std::uint64_t id = admit.id;
  admit.queue = cluster.queue(cluster.entries().at(id).queue).spec.name;
  GangInfo& info = core.gangs.at(request.gang);
  admit.attempts = info.attempts + core.backlog.RefusalsOf(request.gang) + 1;
  info.admitted_at = request.detached ? info.admitted_at : cycle.now.wall;
  cycle.changed_queues.insert(admit.queue);
  cycle.decision.admits.push_back(std::move(admit));
  --cycle.admits_left;
  ++core.epoch;
  return id;
}

Consent ReserveAndPermit(Core& core, Transaction& transaction, GangId gang,
                         std::span<const Assignment> assignments) {
  for (const ReservePlugin* plugin : core.plugins.reserve) {
    for (const Assignment& a : assignments) plugin->Reserve(transaction, a);
  }
  const GangView view{core.cluster, gang, QueueTime(core.cluster, core.retries, gang)};
  for (const PermitPlugin* plugin : core.plugins.permit) {
    if (auto refused = plugin->Permit(view, assignments)) return {std::move(refused)};
  }
  return {};
}

void TryMinimum(Cycle& cycle, GangId gang) {
  Core& core = cycle.core;
  const Work work = Assess(core.cluster, core.plugins, core.retries, cycle.now, gang);
  if (work.kind != Work::Kind::kMinimum) {  // A plugin thinks otherwise by now.
    FileGang(cycle, gang);
    return;
  }
  const GangRow& row = core.cluster.gang(gang);
  const bool all_steps = cycle.steps_left + 1 >= cycle.all_steps;  // But the one of this turn.
  const auto charges = ChargesOf(core.cluster, work.demands);
  const bool has_quota = CheckQuota(core.cluster, row.queue, charges).ok();
  if (has_quota && FailsAgain(cycle, gang)) return;
  RecordAttempt(core, gang, work.pods.front());
  if (!has_quota) {
    Refuse(cycle, gang, RefusedBy::kQuota);
    return;
  }
  Transaction transaction(core.cluster);
  const PlaceContext context{core.cluster, core.indexes, transaction, cycle.steps_left,
                             &core.plugins};
  const DomainRange range = RangeOf(core.cluster, core.indexes.TopologyOf(core.cluster), gang);
  const Placement placement = PlaceAll(context, work.pods, range);
  if (!placement.ok) {
    RefusePlacement(cycle, gang, placement, all_steps);
    return;
  }
  if (ReserveAndPermit(core, transaction, gang, placement.assignments).refused) {
    Refuse(cycle, gang, RefusedBy::kPermit);
    return;
  }
  AdmitRequest request{.gang = gang, .pods = work.pods, .detached = work.detached};
  if (work.half) {
    // Its bound members join the entry: it is settled, or given up, as a whole.
    for (const PodId pod : row.members) {
      if (core.cluster.record(pod) == Record::kBound) request.pods.push_back(pod);
    }
  }
  CommitAdmit(cycle, transaction, request);
  if (IsOverdue(core, gang)) cycle.decision.lost_wakeups.push_back(row.key);
  ++core.gangs.at(gang).attempts;
  FileGang(cycle, gang);
}

void TrySurplus(Cycle& cycle, GangId gang) {
  Core& core = cycle.core;
  const Work work = Assess(core.cluster, core.plugins, core.retries, cycle.now, gang);
  if (work.kind != Work::Kind::kSurplus) {  // A plugin thinks otherwise by now.
    FileGang(cycle, gang);
    return;
  }
  const GangRow& row = core.cluster.gang(gang);
  Transaction transaction(core.cluster);
  const PlaceContext context{core.cluster, core.indexes, transaction, cycle.steps_left,
                             &core.plugins};
  std::vector<Assignment> placed;
  bool quota_short = false;
  for (const auto& [shape, of_shape] : ByShape(core.cluster, work.pods)) {
    std::vector<PodId> pods = of_shape;
    pods.resize(std::min(pods.size(), kMaxSurplusPods - placed.size()));
    const std::int32_t room =
        QuotaSlots(core.cluster, row.queue, shape, static_cast<std::int32_t>(pods.size()));
    quota_short = quota_short || static_cast<std::size_t>(room) < pods.size();
    pods.resize(static_cast<std::size_t>(room));
    // What another shape has got is there by now.
    const DomainRange range = RangeOf(core.cluster, core.indexes.TopologyOf(core.cluster), gang);
    const Placement some = PlaceSome(context, pods, range);
    placed.insert(placed.end(), some.assignments.begin(), some.assignments.end());
  }
  if (placed.empty()) {
    Refuse(cycle, gang, quota_short ? RefusedBy::kQuota : RefusedBy::kNodes);
    return;
  }
  if (ReserveAndPermit(core, transaction, gang, placed).refused) {
    Refuse(cycle, gang, RefusedBy::kPermit);
    return;
  }
  AdmitRequest request{.gang = gang, .pods = {}, .detached = true};
  for (const Assignment& a : placed) request.pods.push_back(a.pod);
  CommitAdmit(cycle, transaction, request);
  if (IsOverdue(core, gang)) cycle.decision.lost_wakeups.push_back(row.key);
  FileGang(cycle, gang);
}

}  // namespace muster::scheduler
