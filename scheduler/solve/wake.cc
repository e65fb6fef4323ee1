#include "scheduler/solve/wake.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/solve/quota.h"

namespace muster::scheduler {
namespace {

// Some touched node takes a pod of the shape: all that can be said without an index.
bool TouchedNodeTakes(const Core& core, ShapeId shape) {
  const auto& touched = core.cluster.touched().nodes;
  return std::any_of(touched.begin(), touched.end(), [&](const auto& item) {
    return SlotsOn(core.cluster, core.plugins, shape, item.id) > 0;
  });
}

// The event that opened the class: the first that touched a node which takes more than before, or
// the queue.
std::string CauseOf(Core& core, const ClassKey& key) {
  const Touched& touched = core.cluster.touched();
  for (const auto& item : touched.nodes) {
    const bool helps = std::any_of(key.demands.begin(), key.demands.end(), [&](const Demand& d) {
      const ShapeIndex* index = core.indexes.IfLive(core.cluster, d.shape);
      return index != nullptr ? index->Grew(item.id)
                              : SlotsOn(core.cluster, core.plugins, d.shape, item.id) > 0;
    });
    if (helps) return touched.causes[item.cause];
  }
  for (const auto& item : touched.queues) {
    if (item.id == key.queue) return touched.causes[item.cause];
  }
  return {};
}

}  // namespace

bool QuotaAllows(const Cluster& cluster, const ClassKey& key) {
  if (key.kind == Work::Kind::kSurplus) {
    return std::any_of(key.demands.begin(), key.demands.end(), [&](const Demand& demand) {
      return QuotaSlots(cluster, key.queue, demand.shape, 1) > 0;
    });
  }
  return CheckQuota(cluster, key.queue, ChargesOf(cluster, key.demands)).ok();
}

bool BoundPasses(Core& core, const ClassKey& key, RefusedBy by) {
  const auto enough = [&](const Demand& demand) {
    const ShapeIndex* index = core.indexes.IfLive(core.cluster, demand.shape);
    if (index != nullptr) return index->total_slots() >= demand.count;
    // Nodes refused nothing, or all that is known of them is what was touched just now.
    return by != RefusedBy::kNodes || TouchedNodeTakes(core, demand.shape);
  };
  if (key.kind == Work::Kind::kSurplus) {
    return std::any_of(key.demands.begin(), key.demands.end(), enough);
  }
  return std::all_of(key.demands.begin(), key.demands.end(), enough);
}

void WakeClasses(Cycle& cycle) {
  Core& core = cycle.core;
  const Touched& touched = core.cluster.touched();
  if (touched.nodes.empty() && touched.queues.empty()) return;
  std::vector<std::pair<ClassKey, std::string>> open, told;
  std::vector<ClassKey> blame_quota;
  for (const auto& [key, c] : core.backlog.classes()) {
    if (c.refused_by == RefusedBy::kNobody || c.searched) {
      told.emplace_back(key, CauseOf(core, key));
      continue;
    }
    if (!BoundPasses(core, key, c.refused_by)) continue;
    if (QuotaAllows(core.cluster, key)) {
      open.emplace_back(key, CauseOf(core, key));
    } else if (c.refused_by == RefusedBy::kNodes) {
      // Growth is seen once; from here on only the quota is in the way.
      blame_quota.push_back(key);
    }
  }
  for (const ClassKey& key : blame_quota) core.backlog.Blame(key, RefusedBy::kQuota);
  for (const auto& [key, cause] : told) core.backlog.NoteNews(key, cause);
  for (const auto& [key, cause] : open) core.backlog.Open(key, cause);
}

}  // namespace muster::scheduler
