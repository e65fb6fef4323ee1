#include "scheduler/solve/work.h"

#include <algorithm>
#include <map>

#include "scheduler/model/label_match.h"
#include "scheduler/solve/domain_range.h"

namespace muster::scheduler {
namespace {

// Whether the gang's queue takes it.
Work::Held HeldByQueue(const Cluster& cluster, const GangRow& gang) {
  const QueueRow& queue = cluster.queue(gang.queue);
  if (!queue.exists) return Work::Held::kQueueNotFound;
  if (!queue.spec.misconfigured.empty()) return Work::Held::kQueueInactive;
  if (!queue.spec.has_selector ||
      !MatchesAll(queue.spec.namespace_selector, cluster.ns(gang.ns).labels)) {
    return Work::Held::kNamespaceNotAllowed;
  }
  if (queue.spec.stopped) return Work::Held::kQueueStopped;
  return Work::Held::kNo;
}

Work HeldWork(Work::Held held, std::string text = {}) {
  Work work;
  work.kind = Work::Kind::kHeld;
  work.held = held;
  work.text = std::move(text);
  return work;
}

// Everything but members and plugins. Queue and priority class are asked for what is new only: a
// gang that has members bound keeps its right to be completed, in the queue to which they are
// charged. The API server fixes spec.queue only when it has stored that the gang is admitted; who
// is faster asks another queue, which has let nothing of it in.
Work::Held HeldByState(const Cluster& cluster, const Retry& retry, Now now, GangId id) {
  const GangRow& gang = cluster.gang(id);
  if (!gang.exists) return Work::Held::kPodGroupNotFound;
  if (!gang.invalid.empty()) return Work::Held::kInvalid;
  if (HasEntry(cluster, id, EntryState::kAbandon)) return Work::Held::kGivingUp;
  const bool is_new = cluster.counts(id).bound == 0;
  const bool classless =
      !gang.priority_class.empty() && !cluster.PriorityClass(gang.priority_class).has_value();
  if (is_new && classless) return Work::Held::kPriorityClassNotFound;
  if (is_new || PayerOf(cluster, id) != gang.queue) {
    const Work::Held held = HeldByQueue(cluster, gang);
    if (held != Work::Held::kNo) return held;
  }
  return now.mono < retry.not_before ? Work::Held::kBackoff : Work::Held::kNo;
}

bool IntentLost(const Cluster& cluster, const GangRow& gang) {
  return std::any_of(gang.members.begin(), gang.members.end(), [&](PodId pod) {
    return cluster.record(pod) == Record::kBound && cluster.IntentLost(pod);
  });
}

}  // namespace

bool HasRun(const Cluster& cluster, const RetryTable& retries, GangId gang) {
  const GangRow& row = cluster.gang(gang);
  return row.stored_ran || retries.Get(row.key, row.uid).ran;
}

bool KeepsAdmission(const Cluster& cluster, const RetryTable& retries, GangId gang) {
  return HasRun(cluster, retries, gang) && cluster.counts(gang).bound > 0;
}

std::optional<QueueId> PayerOf(const Cluster& cluster, GangId gang) {
  for (const PodId pod : cluster.gang(gang).members) {
    if (const auto queue = cluster.charged_queue(pod)) return queue;
  }
  return std::nullopt;
}

bool HasEntry(const Cluster& cluster, GangId gang, EntryState state) {
  const auto& ids = cluster.gang(gang).entries;
  return std::any_of(ids.begin(), ids.end(),
                     [&](std::uint64_t id) { return cluster.entries().at(id).state == state; });
}

bool IsBinding(const Cluster& cluster, GangId gang) {
  const auto& ids = cluster.gang(gang).entries;
  return std::any_of(ids.begin(), ids.end(), [&](std::uint64_t id) {
    const EntryRow& entry = cluster.entries().at(id);
    return entry.state == EntryState::kBind && entry.min_member > 0;
  });
}

bool BoundOutsideEntries(const Cluster& cluster, GangId gang) {
  const GangRow& row = cluster.gang(gang);
  return row.entries.empty() &&
         std::none_of(row.members.begin(), row.members.end(), [&](PodId pod) {
           return cluster.record(pod) == Record::kBound && cluster.pod(pod).entry != 0;
         });
}

Wall QueueTime(const Cluster& cluster, const RetryTable& retries, GangId gang) {
  const GangRow& row = cluster.gang(gang);
  return retries.Get(row.key, row.uid).queue_time.value_or(row.created);
}

std::vector<Demand> DemandsOf(const Cluster& cluster, const std::vector<PodId>& pods) {
  std::map<ShapeId, std::int32_t> counts;
  for (const PodId pod : pods) ++counts[cluster.shape_of(pod)];
  std::vector<Demand> demands;
  demands.reserve(counts.size());
  for (const auto& [shape, count] : counts) demands.push_back({shape, count});
  if (demands.size() > 1) {
    std::sort(demands.begin(), demands.end(), [&](const Demand& a, const Demand& b) {
      return cluster.shape(a.shape) < cluster.shape(b.shape);
    });
  }
  return demands;
}

std::vector<std::pair<ShapeId, std::vector<PodId>>> ByShape(const Cluster& cluster,
                                                            const std::vector<PodId>& pods) {
  std::vector<std::pair<ShapeId, std::vector<PodId>>> groups;
  for (const PodId pod : pods) {
    const ShapeId shape = cluster.shape_of(pod);
    auto it = std::find_if(groups.begin(), groups.end(),
                           [&](const auto& group) { return group.first == shape; });
    if (it == groups.end()) it = groups.insert(groups.end(), {shape, {}});
    it->second.push_back(pod);
  }
  return groups;
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): a table of cases, first match wins.
Work Assess(const Cluster& cluster, const PluginSet& plugins, const RetryTable& retries, Now now,
            GangId id) {
  const GangRow& gang = cluster.gang(id);
  if (!gang.live) return {};
  const MemberCounts counts = cluster.counts(id);
  const Retry& retry = retries.Get(gang.key, gang.uid);
  const bool below = !IsWhole(cluster, id);
  if (below && IsBinding(cluster, id)) return {};
  if (!below && counts.placeable == 0) return {};
  const Work::Held held = HeldByState(cluster, retry, now, id);
  if (held != Work::Held::kNo) return HeldWork(held);
  std::string unknown = UnknownLevelText(plugins, gang);
  if (!unknown.empty()) return HeldWork(Work::Held::kUnknownLevel, std::move(unknown));

  Work work;
  work.kind = below ? Work::Kind::kMinimum : Work::Kind::kSurplus;
  const bool ran = HasRun(cluster, retries, id);
  work.half = below && counts.bound > 0 && !ran;
  work.detached = !below || (ran && counts.bound > 0);
  if (work.half && IntentLost(cluster, gang)) return HeldWork(Work::Held::kGivingUp);
  // Its bound members would join the new entry.
  if (work.half && !BoundOutsideEntries(cluster, id)) return {};
  // What is promised by an entry of its own may be given up alone, so it fills no minimum.
  if (below && !work.detached && !gang.entries.empty()) return {};
  if (below) {
    // Replacements that are on their way already fill a part of what is missing.
    const Shortfall wanted = ShortfallOf(cluster, id, Reach::kPromised);
    if (wanted.total == 0) return {};
    work.pods = MinimumSet(cluster, id, wanted);
    if (work.pods.empty()) return HeldWork(Work::Held::kNotEnoughMembers);
  } else {
    work.pods = Placeable(cluster, id);
    if (work.pods.empty()) return {};
  }
  for (const PreEnqueuePlugin* plugin : plugins.pre_enqueue) {
    const GangView view{cluster, id, QueueTime(cluster, retries, id)};
    if (auto text = plugin->PreEnqueue(view)) return HeldWork(Work::Held::kByPlugin, *text);
  }
  work.demands = DemandsOf(cluster, work.pods);
  return work;
}

}  // namespace muster::scheduler
