#include "scheduler/solve/probe.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

#include "scheduler/base/amount.h"
#include "scheduler/base/units.h"
#include "scheduler/solve/admit.h"
#include "scheduler/solve/core.h"
#include "scheduler/solve/wording.h"

namespace muster::scheduler {
namespace {

std::int64_t AmountOf(const Cluster& cluster, PodId pod, const std::string& resource) {
  const auto& requests = cluster.shape(cluster.shape_of(pod)).requests;
  const auto it = std::lower_bound(
      requests.begin(), requests.end(), resource,
      [](const auto& request, const std::string& name) { return request.first < name; });
  return it != requests.end() && it->first == resource ? it->second : 0;
}

using Nodes = std::span<const NodeId>;

// The request that the most eligible nodes lack; equal ones: devices first, then by name.
std::string ShortResource(const Cluster& cluster, const ShapeIndex& index, Nodes nodes) {
  const auto& requests = cluster.shape(index.shape()).requests;
  std::vector<std::int32_t> lacking(requests.size(), 0);
  for (const NodeId node : nodes) {
    const ShapeIndex::Verdict& verdict = index.verdict(node);
    if (!verdict.eligible) continue;
    for (std::uint64_t bits = verdict.lacking; bits != 0; bits &= bits - 1) {
      ++lacking[static_cast<std::size_t>(std::countr_zero(bits))];
    }
  }
  const auto is_device = [](const std::string& name) {
    return UnitOf(name) == Unit::kMilli && name != "cpu";
  };
  std::size_t best = requests.size();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (lacking[i] == 0) continue;
    if (best == requests.size() || lacking[i] > lacking[best] ||
        (lacking[i] == lacking[best] && is_device(requests[i].first) &&
         !is_device(requests[best].first))) {
      best = i;
    }
  }
  return best == requests.size() ? std::string() : requests[best].first;
}

std::string HolderName(const Cluster& cluster, PodId pod, GangId self) {
  const PodRow& row = cluster.pod(pod);
  const Key key = cluster.pod_key(pod);
  if (row.gang == self) return "terminating pod " + key.ns + "/" + key.name;
  if (!row.gang) return key.ns + "/" + key.name;
  const GangRow& gang = cluster.gang(*row.gang);
  if (!gang.exists && !gang.key.single_pod) return "pods without PodGroup";
  return gang.key.ns + "/" + gang.key.name;
}

using Holders = std::map<std::string, std::int64_t>;

void AddHolders(const Cluster& cluster, NodeId node, GangId self, const std::string& resource,
                Holders& holders) {
  for (const PodId pod : cluster.pods_on(node)) {
    const Record record = cluster.record(pod);
    if (record == Record::kSucceeded || record == Record::kFailed) continue;
    // Of the gang itself only what it has lost stands in its way.
    if (cluster.pod(pod).gang == self && record != Record::kTerminating) continue;
    const std::int64_t amount = AmountOf(cluster, pod, resource);
    if (amount > 0) holders[HolderName(cluster, pod, self)] += amount;
  }
}

void FindHolders(const Cluster& cluster, const ShapeIndex& index, GangId self, Nodes nodes,
                 Probe& probe) {
  const std::optional<ResourceId> id = cluster.resources().Find(probe.resource);
  Holders holders;
  probe.most_free = std::numeric_limits<std::int64_t>::min();
  for (const NodeId node : nodes) {
    if (!index.verdict(node).eligible) continue;
    const std::int64_t free =
        id ? cluster.allocatable(node)[id->value] - cluster.used(node)[id->value] : 0;
    if (free > probe.most_free) {
      probe.most_free = free;
      probe.most_free_node = cluster.node(node).name;
    }
    AddHolders(cluster, node, self, probe.resource, holders);
  }
  probe.holders.assign(holders.begin(), holders.end());
}

// By name.
std::vector<NodeId> NodesOf(const Cluster& cluster, const Topology& topology,
                            std::optional<DomainId> domain) {
  if (!domain) return {cluster.nodes().begin(), cluster.nodes().end()};
  std::vector<NodeId> nodes = topology.NodesIn(*domain);
  std::ranges::sort(nodes, {}, [&](NodeId node) { return cluster.name_order(node); });
  return nodes;
}

// Why the unplaced ones find no node; `domain`: in which they are looked for.
void Tell(Core& core, GangId gang, const std::vector<PodId>& pods, std::optional<DomainId> domain,
          Probe& probe) {
  const Cluster& cluster = core.cluster;
  const Topology& topology = core.shown.TopologyOf(cluster);
  probe.missing = probe.unplaced.front();
  const PodId missing = pods[*probe.missing];
  const ShapeIndex& index = core.shown.At(cluster, cluster.shape_of(missing));
  probe.reasons = index.Histogram(cluster);
  if (domain) {
    const Topology::Domain& where = topology.domain(*domain);
    probe.where = " in " + topology.LevelName(where.level) + " " + where.name;
  }
  const std::vector<NodeId> nodes = NodesOf(cluster, topology, domain);
  probe.resource = ShortResource(cluster, index, nodes);
  if (probe.resource.empty()) return;
  probe.needs = AmountOf(cluster, missing, probe.resource);
  for (const std::size_t i : probe.unplaced) {
    probe.short_by += AmountOf(cluster, pods[i], probe.resource);
  }
  FindHolders(cluster, index, gang, nodes, probe);
}

// With topology.required, while nothing is placed for the sake of the probe.
void TellDomains(Core& core, const DomainRange& range, PodId missing, Probe& probe) {
  const Cluster& cluster = core.cluster;
  const Topology& topology = core.shown.TopologyOf(cluster);
  const ShapeIndex& index = core.shown.At(cluster, cluster.shape_of(missing));
  const std::optional<DomainId> home = HomeOf(topology, range);
  const bool unknown = IsUnknown(topology, range);
  std::int32_t none = 0, other = 0, small = 0;
  for (const NodeId node : cluster.nodes()) {
    if (index.verdict(node).slots == 0) continue;
    const std::optional<DomainId> domain = topology.At(node, range.outer);
    if (!domain) {
      ++none;
    } else {
      ++(unknown || (home && domain != home) ? other : small);
    }
  }
  const std::string& level = topology.LevelName(range.outer);
  probe.reasons = index.Histogram(cluster);
  const auto say = [&](std::int32_t count, const std::string& reason) {
    if (count > 0) probe.reasons["node(s) were in " + reason] = count;
  };
  say(none, "no " + level);
  say(other, "another " + level + " than the gang");
  say(small, "a " + level + " without room for the gang");
}

bool HasSlots(Core& core, const std::vector<PodId>& pods) {
  const std::vector<Demand> demands = DemandsOf(core.cluster, pods);
  return std::ranges::all_of(demands, [&](const Demand& demand) {
    return core.shown.At(core.cluster, demand.shape).total_slots() >= demand.count;
  });
}

// Pods of the shape that the node would take with nothing on it.
std::int64_t SlotsWhenEmpty(const Cluster& cluster, const ShapeIndex& index, NodeId node) {
  if (!index.verdict(node).eligible) return 0;
  const auto allocatable = cluster.allocatable(node);
  std::int64_t slots = allocatable[kPodsResource.value];
  for (const auto& [resource, amount] : cluster.request(index.shape())) {
    if (amount > 0) slots = std::min(slots, allocatable[resource.value] / amount);
  }
  return slots;
}

// With nothing on any node the cluster would take them, but no domain of the level would.
bool OutgrowsDomains(Core& core, LevelId level, const std::vector<PodId>& pods) {
  const Cluster& cluster = core.cluster;
  const Topology& topology = core.shown.TopologyOf(cluster);
  std::vector<bool> holds(topology.size(), true);
  for (const Demand& demand : DemandsOf(cluster, pods)) {
    const ShapeIndex& index = core.shown.At(cluster, demand.shape);
    std::int64_t all = 0;
    std::vector<std::int64_t> slots(topology.size(), 0);
    for (const NodeId node : cluster.nodes()) {
      const std::int64_t here = SlotsWhenEmpty(cluster, index, node);
      all += here;
      const std::optional<DomainId> domain = topology.At(node, level);
      if (domain) slots[domain->value] += here;
    }
    if (all < demand.count) return false;
    for (std::size_t i = 0; i < slots.size(); ++i) holds[i] = holds[i] && slots[i] >= demand.count;
  }
  return std::ranges::none_of(holds, [](bool one) { return one; });
}

// Those that are there already bind the others to a domain: whether that would do is not asked.
bool OnlyTopology(Core& core, const DomainRange& range, const std::vector<PodId>& pods) {
  if (range.outer == 0) return false;
  return HasSlots(core, pods) || (range.beside.empty() && OutgrowsDomains(core, range.outer, pods));
}

Probe TakeProbe(Core& core, GangId gang, const std::vector<PodId>& pods) {
  Cluster& cluster = core.cluster;
  const Topology& topology = core.shown.TopologyOf(cluster);
  const DomainRange range = RangeOf(cluster, topology, gang);
  Probe probe;
  probe.only_topology = OnlyTopology(core, range, pods);
  Transaction transaction(cluster);  // Never committed.
  std::int32_t steps = std::numeric_limits<std::int32_t>::max();
  const PlaceContext context{cluster, core.shown, transaction, steps};
  const std::size_t mark = transaction.mark();
  const Placement placement = PlaceSome(context, pods, range);
  probe.placed = static_cast<std::int32_t>(placement.assignments.size());
  if (placement.ok) {
    const Consent consent = ReserveAndPermit(core, transaction, gang, placement.assignments);
    probe.refused = consent.refused.value_or("");
    return probe;
  }
  std::set<PodId> placed;
  for (const Assignment& a : placement.assignments) placed.insert(a.pod);
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (!placed.contains(pods[i])) probe.unplaced.push_back(i);
  }
  std::optional<DomainId> domain = HomeOf(topology, range);
  if (range.outer > 0 && !placement.assignments.empty()) {
    domain = topology.At(placement.assignments.front().node, range.outer);
  }
  Tell(core, gang, pods, domain, probe);
  if (range.outer > 0) {
    transaction.RollbackTo(mark);
    TellDomains(core, range, pods[*probe.missing], probe);
  }
  return probe;
}

struct Largest {
  std::int64_t amount = -1;
  std::string node;  // The first of its amount.
};

Largest LargestNode(const Cluster& cluster, const std::string& resource) {
  const std::optional<ResourceId> id = cluster.resources().Find(resource);
  Largest largest;
  for (const NodeId node : cluster.nodes()) {
    const std::int64_t have = id ? cluster.allocatable(node)[id->value] : 0;
    if (have > largest.amount) largest = {.amount = have, .node = cluster.node(node).name};
  }
  return largest;
}

}  // namespace

Probe ProbePods(Core& core, GangId gang, const std::vector<PodId>& pods) {
  const MemberCounts counts = core.cluster.counts(gang);
  // What a gang holds itself is not told as held by others, and Permit may tell gangs apart.
  const bool holds = counts.bound + counts.reserved + counts.terminating > 0;
  if (holds || !core.plugins.permit.empty()) {
    return TakeProbe(core, gang, pods);
  }
  std::vector<ShapeId> shapes;
  shapes.reserve(pods.size());
  for (const PodId pod : pods) shapes.push_back(core.cluster.shape_of(pod));
  ProbeCache& cache = core.probe_cache;
  const TopologyRequest& topology = core.cluster.gang(gang).topology;
  if (cache.seq == core.cluster.columns().change_seq() && cache.shapes == shapes &&
      cache.topology == topology) {
    return cache.probe;
  }
  cache.probe = TakeProbe(core, gang, pods);
  cache.shapes = std::move(shapes);
  cache.topology = topology;
  cache.seq = core.cluster.columns().change_seq();
  return cache.probe;
}

Probe ProbeAlone(Core& core, GangId gang, PodId pod) {
  Probe probe;
  const Cluster& cluster = core.cluster;
  const Topology& topology = core.shown.TopologyOf(cluster);
  const DomainRange range = RangeOf(cluster, topology, gang, {&pod, 1});
  const ShapeIndex& index = core.shown.At(cluster, cluster.shape_of(pod));
  const std::vector<DomainId> domains = DomainsOf(topology, range, range.outer);
  if (std::ranges::any_of(domains, [&](DomainId domain) { return index.slots(domain) > 0; })) {
    probe.placed = 1;
    return probe;
  }
  probe.only_topology = range.outer > 0 && index.total_slots() > 0;
  probe.unplaced = {0};
  Tell(core, gang, {pod}, HomeOf(topology, range), probe);
  if (range.outer > 0) TellDomains(core, range, pod, probe);
  return probe;
}

std::string NeedsText(const Probe& probe) {
  if (probe.resource.empty() || probe.most_free_node.empty()) return {};
  return " Needs " + AmountText(probe.resource, probe.needs) + " on one node" + probe.where +
         "; most free is " + FormatAmount(probe.resource, probe.most_free) + " on " +
         probe.most_free_node + ".";
}

std::string NeverFitsText(const Cluster& cluster, const std::vector<Demand>& demands) {
  if (cluster.nodes().empty()) return {};
  for (const Demand& demand : demands) {
    for (const auto& [resource, amount] : cluster.shape(demand.shape).requests) {
      if (amount == 0) continue;
      const Largest largest = LargestNode(cluster, resource);
      if (amount <= largest.amount) continue;
      // The largest amount stands for everything above it too.
      const std::string needs = amount == kAmountMax ? "needs at least " : "needs ";
      return needs + AmountText(resource, amount) + " on one node; the largest node has " +
             FormatAmount(resource, largest.amount) + " (" + largest.node + ")";
    }
  }
  return {};
}

}  // namespace muster::scheduler
