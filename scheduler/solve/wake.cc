#include "scheduler/solve/wake.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/solve/place_domains.h"
#include "scheduler/solve/quota.h"

namespace muster::scheduler {
namespace {

// The node takes more pods of the shape than before; without an index: it takes one.
bool Helps(Core& core, ShapeId shape, NodeId node) {
  const ShapeIndex* index = core.indexes.IfLive(core.cluster, shape);
  return index != nullptr ? index->Grew(node)
                          : SlotsOn(core.cluster, core.plugins, shape, node) > 0;
}

bool SomeTouchedNodeHelps(Core& core, ShapeId shape) {
  const auto& touched = core.cluster.touched().nodes;
  return std::any_of(touched.begin(), touched.end(),
                     [&](const auto& item) { return Helps(core, shape, item.id); });
}

// As far as an index knows: it takes one, if no more than before. In another domain that may help.
bool HasRoom(Core& core, ShapeId shape, NodeId node) {
  const ShapeIndex* index = core.indexes.IfLive(core.cluster, shape);
  return index != nullptr && index->verdict(node).slots > 0;
}

// The first event that touched a node which `helps`; "" = none.
std::string NodeCause(Core& core, const ClassKey& key, bool (*helps)(Core&, ShapeId, NodeId)) {
  const Touched& touched = core.cluster.touched();
  for (const auto& item : touched.nodes) {
    const bool any = std::any_of(key.demands.begin(), key.demands.end(),
                                 [&](const Demand& d) { return helps(core, d.shape, item.id); });
    if (any) return touched.causes[item.cause];
  }
  return {};
}

// The event that opened the class: the first that touched a node which takes more than before, or
// has come into another domain; or the queue.
std::string CauseOf(Core& core, const ClassKey& key) {
  const Touched& touched = core.cluster.touched();
  std::string cause = NodeCause(core, key, Helps);
  if (cause.empty() && !key.topology.required.empty()) cause = NodeCause(core, key, HasRoom);
  if (!cause.empty()) return cause;
  for (const auto& item : touched.queues) {
    if (item.id == key.queue) return touched.causes[item.cause];
  }
  return {};
}

// The domains that gangs of the class may go into. What fits in one of an inner level fits in the
// one around it.
std::vector<DomainSlots> DomainsFor(Core& core, const ClassKey& key) {
  const Topology& topology = core.indexes.TopologyOf(core.cluster);
  DomainRange range;
  if (key.joins) {
    range = RangeOf(core.cluster, topology, *key.joins);
  } else {
    range.outer = topology.FindLevel(key.topology.required).value_or(0);
  }
  return CandidatesOf(topology, range, range.outer);
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
  const std::vector<DomainSlots> domains = DomainsFor(core, key);
  const auto helped = [&](const Demand& demand) {
    return SomeTouchedNodeHelps(core, demand.shape);
  };
  if (key.kind == Work::Kind::kSurplus) {
    return std::any_of(key.demands.begin(), key.demands.end(), [&](const Demand& demand) {
      const ShapeIndex* index = core.indexes.IfLive(core.cluster, demand.shape);
      if (index == nullptr) return by != RefusedBy::kNodes || helped(demand);
      std::vector<DomainSlots> holders = domains;
      Narrow(holders, *index, demand.count);
      return !holders.empty();
    });
  }
  bool all_known = true;
  std::vector<DomainSlots> holders = domains;
  for (const Demand& demand : key.demands) {
    const ShapeIndex* index = core.indexes.IfLive(core.cluster, demand.shape);
    if (index != nullptr) Narrow(holders, *index, demand.count);
    all_known = all_known && index != nullptr;
  }
  if (holders.empty()) return false;
  // Of a shape without an index, refused by nodes, all that can be said is who was touched just
  // now. Any of the shapes may have been the one that was short.
  return all_known || by != RefusedBy::kNodes ||
         std::any_of(key.demands.begin(), key.demands.end(), helped);
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
