#include "scheduler/solve/entry_members.h"

#include <algorithm>
#include <map>
#include <string>

#include "scheduler/model/pins.h"
#include "scheduler/solve/shape_index.h"

namespace muster::scheduler {
namespace {

// A former leader has named it, and its pod has not been seen: that it is gone is not known yet.
bool IsAwaited(const Cluster& cluster, const EntryRow::Member& member) {
  return cluster.tables().awaited.Find(member.pod) != nullptr;
}

bool IsLostPod(const Cluster& cluster, const EntryRow& entry, const EntryRow::Member& member,
               PodId pod) {
  const Record record = cluster.record(pod);
  if (record == Record::kReserved) return cluster.pod(pod).entry != entry.id;
  // By whom, and with which pins, is not known before it is seen there.
  if (record == Record::kBound && cluster.pod(pod).pin == Pin::kNone) return false;
  return !IsDone(cluster, entry, member, pod);
}

}  // namespace

bool IsUnsettled(Record record) {
  return record == Record::kPending || record == Record::kGated || record == Record::kReserved;
}

bool IsDone(const Cluster& cluster, const EntryRow& entry, const EntryRow::Member& member,
            PodId pod) {
  const Record record = cluster.record(pod);
  const PodRow& row = cluster.pod(pod);
  const bool counts = row.member && row.gang == entry.gang;
  if (record == Record::kSucceeded) return counts;
  const bool there = cluster.node_of(pod) == member.node && IsMarked(row);
  return record == Record::kBound && (counts || there);
}

bool IsLost(const Cluster& cluster, const EntryRow& entry, const EntryRow::Member& member) {
  const std::optional<PodId> pod = cluster.FindPod(member.pod);
  return pod ? IsLostPod(cluster, entry, member, *pod) : !IsAwaited(cluster, member);
}

EntryCounts CountMembers(const Cluster& cluster, const EntryRow& entry) {
  EntryCounts counts;
  for (const EntryRow::Member& member : entry.members) {
    const std::optional<PodId> pod = cluster.FindPod(member.pod);
    if (!pod) continue;
    if (IsDone(cluster, entry, member, *pod)) ++counts.done;
    if (IsUnsettled(cluster.record(*pod))) ++counts.unsettled;
  }
  return counts;
}

Shortfall LackOf(const Cluster& cluster, const EntryRow& entry) {
  std::int32_t total = entry.min_member;
  std::map<std::string, std::int32_t> of;
  for (const SubGroup& sub : entry.sub_groups) of[sub.name] = sub.min_member;
  for (const EntryRow::Member& member : entry.members) {
    const std::optional<PodId> pod = cluster.FindPod(member.pod);
    if (!pod && IsAwaited(cluster, member)) return {};
    if (!pod || IsLostPod(cluster, entry, member, *pod)) continue;
    --total;
    if (!of.empty()) --of[cluster.pod(*pod).sub_group];
  }
  const bool some = total > 0 || std::any_of(of.begin(), of.end(),
                                             [](const auto& sub) { return sub.second > 0; });
  if (!some) return {};  // As nearly always.
  const GangRow& gang = cluster.gang(entry.gang);
  Shortfall lack = ShortfallOf(cluster, entry.gang, Reach::kPromised);
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < lack.of.size(); ++i) {
    lack.of[i] = std::clamp(of[gang.sub_groups[i].name], 0, lack.of[i]);
    sum += lack.of[i];
  }
  lack.total = std::max(sum, std::clamp(total, 0, lack.total));
  return lack;
}

bool StillFits(const Core& core, PodId pod, NodeId node) {
  const Cluster& cluster = core.cluster;
  if (!cluster.node(node).exists) return false;
  const ShapeId shape = cluster.shape_of(pod);
  if (!SpecAllows(cluster, core.plugins, shape, node)) return false;
  const auto allocatable = cluster.allocatable(node);
  const auto used = cluster.used(node);
  const auto over = [&](ResourceId id) { return used[id.value] > allocatable[id.value]; };
  const auto request = cluster.request(shape);
  return !over(kPodsResource) && std::none_of(request.begin(), request.end(), [&](const auto& r) {
    return r.second > 0 && (r.first == kUnknownResource || over(r.first));
  });
}

}  // namespace muster::scheduler
