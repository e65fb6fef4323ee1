#include "scheduler/solve/amend.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/solve/admit.h"
#include "scheduler/solve/entry_members.h"
#include "scheduler/solve/quota.h"

namespace muster::scheduler {
namespace {

bool Lacks(const Cluster& cluster, const EntryRow& entry) {
  return MayBeAmended(cluster, entry) &&
         (!StrandedOf(cluster, entry).empty() || LackOf(cluster, entry).total > 0);
}

void Note(Core& core, std::uint64_t id) {
  if (Lacks(core.cluster, core.cluster.entries().at(id))) {
    core.lacking.insert(id);
  } else {
    core.lacking.erase(id);
  }
}

// One entry, on one Transaction.
class Amendment {
 public:
  Amendment(Cycle& cycle, std::uint64_t id)
      : cycle_(cycle), id_(id), transaction_(cycle.core.cluster, id) {}

  // Those that find a node, where topology.required lets them: in the domain of the others.
  void Move(const std::vector<PodId>& stranded) {
    std::vector<PodId> leaving;
    DomainRange range = RangeWithout(stranded);
    for (const PodId pod : stranded) {
      // A reserved pod has a node. It may be there again, or take pods again.
      const NodeId node = *cluster().node_of(pod);
      const std::optional<DomainId> home = HomeOf(topology(), range);
      if (StillFits(cycle_.core, pod, node) && (!home || topology().Contains(*home, node))) {
        Add(cluster().pod(pod).uid, {pod, node});
        range.beside.push_back(node);
      } else {
        leaving.push_back(pod);
      }
    }
    for (const Assignment& a : PlaceSome(Context(), leaving, range).assignments) {
      placed_.push_back(a);
      Add(cluster().pod(a.pod).uid, a);
      std::erase(leaving, a.pod);
    }
    nowhere_ = std::move(leaving);
  }

  // The i-th that finds a place takes that of the i-th lost member; behind them come those whose
  // members have left. Of several shapes some may find none: those that do are bound, and the rest
  // waits.
  void Replace() {
    std::vector<Uid> lost;
    for (const EntryRow::Member& member : entry().members) {
      if (IsLost(cluster(), entry(), member)) lost.push_back(member.pod);
    }
    std::vector<PodId> pods = FirstOf(cluster(), entry().gang, LackOf(cluster(), entry()));
    std::erase_if(pods, [&](PodId pod) {  // It was in another entry when this one was found.
      return std::ranges::find(lost, cluster().pod(pod).uid) != lost.end();
    });
    for (auto n = std::ssize(entry().members); n < entry().min_member; ++n) lost.emplace_back();
    pods.resize(std::min(pods.size(), lost.size()));
    std::size_t next = 0;
    for (auto& [shape, of_shape] : ByShape(cluster(), pods)) {
      of_shape.resize(static_cast<std::size_t>(
          QuotaSlots(cluster(), entry().queue, shape, static_cast<std::int32_t>(of_shape.size()))));
      const DomainRange range = RangeWithout(nowhere_);  // What has found a place is there by now.
      for (const Assignment& a : PlaceSome(Context(), of_shape, range).assignments) {
        placed_.push_back(a);
        Add(lost[next++], a);
      }
    }
  }

  void Commit() {
    if (changes_.empty()) return;
    Core& core = cycle_.core;
    const GangId gang = entry().gang;
    if (ReserveAndPermit(core, transaction_, gang, placed_).refused) return;
    const GangRow& row = cluster().gang(gang);
    Decision::Amend amend{.gang = row.key, .gang_uid = row.uid, .id = id_, .changes = {}};
    std::vector<Transaction::Change> changes;
    for (const auto& [replaces, to] : changes_) {
      amend.changes.push_back({replaces, BindOf(core, gang, to)});
      changes.push_back({replaces, to.pod});
    }
    transaction_.Amend(changes);
    cycle_.changed_queues.insert(cluster().queue(entry().queue).spec.name);
    cycle_.dirty.try_emplace(gang, "");
    cycle_.decision.amends.push_back(std::move(amend));
    ++core.epoch;
    Note(core, id_);
  }

 private:
  [[nodiscard]] Cluster& cluster() { return cycle_.core.cluster; }
  [[nodiscard]] const EntryRow& entry() { return cluster().entries().at(id_); }
  [[nodiscard]] const Topology& topology() { return cycle_.core.indexes.TopologyOf(cluster()); }
  [[nodiscard]] DomainRange RangeWithout(const std::vector<PodId>& pods) {
    return RangeOf(cluster(), topology(), entry().gang, pods);
  }
  [[nodiscard]] PlaceContext Context() {
    return {cluster(), cycle_.core.indexes, transaction_, cycle_.steps_left, &cycle_.core.plugins};
  }
  void Add(const Uid& replaces, const Assignment& to) { changes_.emplace_back(replaces, to); }

  Cycle& cycle_;
  const std::uint64_t id_;
  Transaction transaction_;
  std::vector<PodId> nowhere_;  // They will leave the nodes where they are, wherever they go.
  std::vector<Assignment> placed_;
  std::vector<std::pair<Uid, Assignment>> changes_;  // The member, and what stands there from now.
};

}  // namespace

bool MayBeAmended(const Cluster& cluster, const EntryRow& entry) {
  const GangRow& gang = cluster.gang(entry.gang);
  // What has minimum 0 is given up and planned anew, pod by pod.
  return entry.state == EntryState::kBind && entry.min_member > 0 && !entry.failed && gang.exists &&
         gang.uid == entry.gang_uid;
}

std::vector<PodId> StrandedOf(const Cluster& cluster, const EntryRow& entry) {
  std::vector<PodId> pods;
  for (const EntryRow::Member& member : entry.members) {
    if (!member.stranded) continue;
    const std::optional<PodId> pod = cluster.FindPod(member.pod);
    const bool waits = pod && cluster.record(*pod) == Record::kReserved &&
                       cluster.pod(*pod).entry == entry.id &&
                       cluster.pod(*pod).gang == entry.gang &&  // Else it is about to leave.
                       !cluster.next_of(*pod);
    if (waits) pods.push_back(*pod);
  }
  return pods;
}

bool MayGetPods(const Core& core, const EntryRow& entry) {
  const GangRow& gang = core.cluster.gang(entry.gang);
  if (!gang.invalid.empty() || !UnknownLevelText(core.plugins, gang).empty()) return false;
  const GangView view{core.cluster, entry.gang, QueueTime(core.cluster, core.retries, entry.gang)};
  const auto& plugins = core.plugins.pre_enqueue;
  return std::none_of(plugins.begin(), plugins.end(), [&](const PreEnqueuePlugin* plugin) {
    return plugin->PreEnqueue(view).has_value();
  });
}

void AmendEntries(Cycle& cycle) {
  Core& core = cycle.core;
  const Cluster& cluster = core.cluster;
  for (const auto& [gang, cause] : cycle.dirty) {
    for (const std::uint64_t id : cluster.gang(gang).entries) Note(core, id);
  }
  std::erase_if(core.lacking, [&](std::uint64_t id) { return !cluster.entries().contains(id); });
  const std::vector<std::uint64_t> lacking(core.lacking.begin(), core.lacking.end());
  for (const std::uint64_t id : lacking) {
    const EntryRow& entry = cluster.entries().at(id);
    Amendment amendment(cycle, id);
    amendment.Move(StrandedOf(cluster, entry));
    if (MayGetPods(core, entry)) amendment.Replace();
    amendment.Commit();
  }
}

}  // namespace muster::scheduler
