#include "scheduler/solve/domain_range.h"

#include <algorithm>
#include <map>

namespace muster::scheduler {
namespace {

// The domain of the level that most of the nodes are in; of equal ones the first.
std::optional<DomainId> MostIn(const Topology& topology, std::span<const NodeId> nodes,
                               LevelId level) {
  std::map<DomainId, std::int32_t> counts;
  for (const NodeId node : nodes) {
    if (const auto domain = topology.At(node, level)) ++counts[*domain];
  }
  const auto most = std::ranges::max_element(
      counts, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == counts.end()) return std::nullopt;
  return most->first;
}

std::optional<DomainId> HomeAt(const Topology& topology, const DomainRange& range, LevelId level) {
  std::optional<DomainId> home = MostIn(topology, range.beside, range.outer);
  if (!home || level == range.outer) return home;
  std::vector<NodeId> inside = range.beside;
  std::erase_if(inside, [&](NodeId node) { return !topology.Contains(*home, node); });
  return MostIn(topology, inside, level);
}

}  // namespace

DomainRange EmptyRangeOf(const Cluster& cluster, const Topology& topology, GangId gang) {
  const TopologyRequest& request = cluster.gang(gang).topology;
  DomainRange range;
  range.outer = topology.FindLevel(request.required).value_or(0);
  range.inner = std::max(range.outer, topology.FindLevel(request.preferred).value_or(0));
  return range;
}

DomainRange RangeOf(const Cluster& cluster, const Topology& topology, GangId gang,
                    std::span<const PodId> without) {
  DomainRange range = EmptyRangeOf(cluster, topology, gang);
  if (range.anywhere()) return range;
  for (const PodId pod : cluster.gang(gang).members) {
    const Record record = cluster.record(pod);
    if (record != Record::kBound && record != Record::kReserved) continue;
    if (std::ranges::find(without, pod) != without.end()) continue;
    // One that moves will be where it moves to. A bound pod may be shown without its node.
    const std::optional<NodeId> next = cluster.next_of(pod);
    const std::optional<NodeId> node = next ? next : cluster.node_of(pod);
    if (node) range.beside.push_back(*node);
  }
  return range;
}

bool IsUnknown(const Topology& topology, const DomainRange& range) {
  return range.outer > 0 &&
         std::ranges::any_of(range.beside, [&](NodeId node) { return !topology.Knows(node); });
}

std::vector<DomainId> DomainsOf(const Topology& topology, const DomainRange& range, LevelId level) {
  if (IsUnknown(topology, range)) return {};
  const std::optional<DomainId> home = HomeAt(topology, range, level);
  if (home) return {*home};
  if (!range.beside.empty() && level != range.outer) return {};
  const auto all = topology.OfLevel(level);
  return {all.begin(), all.end()};
}

std::optional<DomainId> HomeOf(const Topology& topology, const DomainRange& range) {
  if (range.outer == 0) return std::nullopt;
  return HomeAt(topology, range, range.outer);
}

std::string UnknownLevelText(const PluginSet& plugins, const GangRow& gang) {
  const auto known = [&](const std::string& level) {
    return level.empty() ||
           std::ranges::find(plugins.levels, level, &TopologyLevel::name) != plugins.levels.end();
  };
  const bool required = !known(gang.topology.required);
  if (!required && known(gang.topology.preferred)) return {};
  std::string text =
      required ? "spec.topology.required: there is no level \"" + gang.topology.required
               : "spec.topology.preferred: there is no level \"" + gang.topology.preferred;
  if (plugins.levels.empty()) return text + "\"; none is configured";
  text += "\"; the levels are ";
  for (std::size_t i = 0; i < plugins.levels.size(); ++i) {
    text += (i == 0 ? "" : ", ") + plugins.levels[i].name;
  }
  return text;
}

}  // namespace muster::scheduler
