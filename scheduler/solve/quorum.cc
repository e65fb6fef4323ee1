#include "scheduler/solve/quorum.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace muster::scheduler {
namespace {

bool Counts(const Cluster& cluster, GangId gang, PodId pod, Reach reach) {
  switch (cluster.record(pod)) {
    case Record::kBound:
    case Record::kSucceeded:
      return true;
    case Record::kReserved:
      // One that was promised to another gang when its label was changed is bound for that one.
      return reach == Reach::kExisting ||
             (reach == Reach::kPromised &&
              cluster.entries().at(cluster.pod(pod).entry).gang == gang);
    case Record::kPending:
    case Record::kGated:
      return reach == Reach::kExisting;
    case Record::kTerminating:
    case Record::kFailed:
    case Record::kGone:
      return false;
  }
  return false;
}

std::vector<PodId> Waiting(const Cluster& cluster, const GangRow& gang, std::size_t most) {
  std::vector<PodId> pods;
  for (const PodId pod : gang.members) {
    if (pods.size() == most) break;
    if (cluster.record(pod) == Record::kPending && cluster.pod(pod).entry == 0) pods.push_back(pod);
  }
  return pods;
}

void CountMember(MemberCounts& counts, Record record, bool running) {
  const auto one_of = [&](Record which) { return record == which ? 1 : 0; };
  counts.placeable += one_of(Record::kPending);
  counts.gated += one_of(Record::kGated);
  counts.reserved += one_of(Record::kReserved);
  counts.bound += one_of(Record::kBound);
  counts.running += running ? one_of(Record::kBound) : 0;
  counts.terminating += one_of(Record::kTerminating);
  counts.succeeded += one_of(Record::kSucceeded);
  counts.failed += one_of(Record::kFailed);
  counts.total += 1 - one_of(Record::kTerminating);
}

}  // namespace

std::int32_t Succeeded(const Cluster& cluster, GangId gang) {
  const GangRow& row = cluster.gang(gang);
  const auto gone = static_cast<std::int32_t>(row.gone_successes.size()) + row.earlier_successes;
  return std::max(cluster.counts(gang).succeeded + gone, row.stored_succeeded);
}

std::int32_t CountOf(const Cluster& cluster, GangId gang, Reach reach) {
  const MemberCounts n = cluster.counts(gang);
  const std::int32_t active = n.bound + Succeeded(cluster, gang);
  if (reach == Reach::kExisting) return active + n.placeable + n.gated + n.reserved;
  if (reach == Reach::kActive || n.reserved == 0) return active;
  const auto& members = cluster.gang(gang).members;
  const auto coming = std::count_if(members.begin(), members.end(), [&](PodId pod) {
    return cluster.record(pod) == Record::kReserved && Counts(cluster, gang, pod, reach);
  });
  return active + static_cast<std::int32_t>(coming);
}

std::optional<std::size_t> SubGroupOf(const GangRow& gang, const PodRow& pod) {
  const auto& subs = gang.sub_groups;
  const auto at = std::find_if(subs.begin(), subs.end(),
                               [&](const SubGroup& sub) { return sub.name == pod.sub_group; });
  if (at == subs.end()) return std::nullopt;
  return static_cast<std::size_t>(at - subs.begin());
}

std::size_t PlaceOf(const GangRow& gang, const PodRow& pod) {
  return SubGroupOf(gang, pod).value_or(gang.sub_groups.size());
}

Shortfall ShortfallOf(const Cluster& cluster, GangId id, Reach reach) {
  const GangRow& gang = cluster.gang(id);
  Shortfall shortfall;
  shortfall.total = std::max(0, gang.min_member - CountOf(cluster, id, reach));
  if (gang.sub_groups.empty()) return shortfall;
  for (const SubGroup& sub : gang.sub_groups) shortfall.of.push_back(sub.min_member);
  for (const PodId pod : gang.members) {
    const auto sub = SubGroupOf(gang, cluster.pod(pod));
    if (sub && Counts(cluster, id, pod, reach)) --shortfall.of[*sub];
  }
  std::int32_t unseen = Succeeded(cluster, id) - cluster.counts(id).succeeded;
  std::int32_t sum = 0;
  for (std::int32_t& of : shortfall.of) {
    of = std::max(0, of);
    const std::int32_t filled = std::min(of, unseen);
    of -= filled;
    unseen -= filled;
    sum += of;
  }
  shortfall.total = std::max(shortfall.total, sum);
  return shortfall;
}

bool IsWhole(const Cluster& cluster, GangId gang) {
  return ShortfallOf(cluster, gang, Reach::kActive).total == 0;
}

std::vector<MemberCounts> CountsBySubGroup(const Cluster& cluster, GangId id) {
  const GangRow& gang = cluster.gang(id);
  std::vector<MemberCounts> counts(gang.sub_groups.size() + 1);
  for (const PodId pod : gang.members) {
    const PodRow& row = cluster.pod(pod);
    CountMember(counts[PlaceOf(gang, row)], cluster.record(pod), row.running);
  }
  return counts;
}

std::vector<PodId> Placeable(const Cluster& cluster, GangId id) {
  const GangRow& gang = cluster.gang(id);
  std::vector<PodId> pods = Waiting(cluster, gang, gang.members.size());
  if (gang.sub_groups.empty()) return pods;
  // The members of a gang stand by (rank, name): what is equal here stays in that order. No rank
  // (-1) is the largest unsigned number.
  struct Item {
    std::uint32_t rank;
    std::size_t place;
    PodId pod;
  };
  std::vector<Item> items;
  items.reserve(pods.size());
  for (const PodId pod : pods) {
    const PodRow& row = cluster.pod(pod);
    items.push_back({static_cast<std::uint32_t>(row.rank), PlaceOf(gang, row), pod});
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return std::tie(a.rank, a.place) < std::tie(b.rank, b.place);
  });
  for (std::size_t i = 0; i < items.size(); ++i) pods[i] = items[i].pod;
  return pods;
}

std::vector<PodId> FirstOf(const Cluster& cluster, GangId id, const Shortfall& shortfall) {
  if (shortfall.total == 0) return {};
  const GangRow& gang = cluster.gang(id);
  if (gang.sub_groups.empty()) {
    return Waiting(cluster, gang, static_cast<std::size_t>(shortfall.total));
  }
  // What of the shortfall is of no certain sub-group may be filled by any.
  std::vector<std::int32_t> left = shortfall.of;
  std::int32_t any = shortfall.total - std::accumulate(left.begin(), left.end(), 0);
  const std::vector<PodId> placeable = Placeable(cluster, id);
  std::vector<bool> taken;
  taken.reserve(placeable.size());
  for (const PodId pod : placeable) {
    const auto sub = SubGroupOf(gang, cluster.pod(pod));
    taken.push_back(sub && left[*sub]-- > 0);
  }
  std::vector<PodId> pods;
  for (std::size_t i = 0; i < placeable.size(); ++i) {
    if (taken[i] || any-- > 0) pods.push_back(placeable[i]);
  }
  return pods;
}

std::vector<PodId> MinimumSet(const Cluster& cluster, GangId id, const Shortfall& shortfall) {
  const auto most = static_cast<std::size_t>(shortfall.total);
  std::vector<PodId> pods = FirstOf(cluster, id, shortfall);
  return pods.size() == most ? pods : std::vector<PodId>();
}

}  // namespace muster::scheduler
