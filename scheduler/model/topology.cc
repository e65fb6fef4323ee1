#include "scheduler/model/topology.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "scheduler/model/label_match.h"

namespace muster::scheduler {

Topology::Topology(std::vector<TopologyLevel> levels) : levels_(std::move(levels)) {}

std::optional<LevelId> Topology::FindLevel(std::string_view name) const {
  const auto at = std::ranges::find(levels_, name, &TopologyLevel::name);
  if (at == levels_.end()) return std::nullopt;
  return static_cast<LevelId>(at - levels_.begin()) + 1;
}

Topology::Place Topology::PlaceOf(const Cluster& cluster, NodeId node) const {
  const NodeRow& row = cluster.node(node);
  Place place{.exists = row.exists};
  if (!row.exists) return place;
  for (LevelId level = 1; level <= levels_.size(); ++level) {
    const std::string* value = FindLabel(row.labels, levels_[level - 1].node_label);
    if (value != nullptr && !value->empty()) place.path.emplace_back(level, *value);
  }
  return place;
}

bool Topology::Note(const Cluster& cluster, NodeId node) {
  if (places_.size() < cluster.node_rows()) places_.resize(cluster.node_rows());
  Place place = PlaceOf(cluster, node);
  Place& before = places_[node.value];
  if (place == before) return true;
  before = std::move(place);
  return false;
}

void Topology::CatchUp(const Cluster& cluster) {
  if (layout_ != 0 && IsCurrent(cluster)) return;
  const auto changed = layout_ == 0 ? std::nullopt : cluster.columns().ChangedSince(seq_);
  bool same = changed.has_value();
  if (changed) {
    for (const Columns::Change& change : *changed) {
      if (change.object) same = Note(cluster, change.node) && same;
    }
  } else {
    places_.clear();
    for (std::uint32_t i = 0; i < cluster.node_rows(); ++i) Note(cluster, NodeId{i});
  }
  seq_ = cluster.columns().change_seq();
  if (!same) LayOut(cluster);
}

void Topology::LayOut(const Cluster& cluster) {
  ++layout_;
  // A path sorts before those that it begins, so the order of paths is that of the tree.
  std::map<Path, std::vector<NodeId>> nodes_of;
  nodes_of[{}];
  for (const NodeId node : cluster.nodes()) {
    const Path& path = places_[node.value].path;
    for (std::size_t length = 1; length < path.size(); ++length) {
      nodes_of[Path(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(length))];
    }
    nodes_of[path].push_back(node);
  }
  domains_.clear();
  by_level_.assign(levels_.size() + 1, {});
  of_.assign(cluster.node_rows(), kWholeCluster);
  std::vector<DomainId> around;  // The one of the path's first i labels.
  for (auto& [path, nodes] : nodes_of) {
    const DomainId id{size()};
    around.resize(path.size());
    around.push_back(id);
    Domain domain;
    if (!path.empty()) {
      std::tie(domain.level, domain.name) = path.back();
      domain.parent = around[path.size() - 1];
      domains_[domain.parent.value].inner.push_back(id);
    }
    for (const NodeId node : nodes) of_[node.value] = id;
    by_level_[domain.level].push_back(id);
    domain.nodes = std::move(nodes);
    domains_.push_back(std::move(domain));
  }
  // Those inside end where the last of them does; they stand behind it.
  for (std::uint32_t i = size(); i-- > 0;) {
    Domain& domain = domains_[i];
    domain.end = domain.inner.empty() ? i + 1 : domains_[domain.inner.back().value].end;
  }
}

std::optional<DomainId> Topology::At(NodeId node, LevelId level) const {
  DomainId id = Of(node);
  while (domain(id).level > level) id = domain(id).parent;
  if (domain(id).level != level) return std::nullopt;
  return id;
}

std::vector<NodeId> Topology::NodesIn(DomainId domain) const {
  std::vector<NodeId> nodes;
  for (std::uint32_t i = domain.value; i < this->domain(domain).end; ++i) {
    nodes.insert(nodes.end(), domains_[i].nodes.begin(), domains_[i].nodes.end());
  }
  return nodes;
}

}  // namespace muster::scheduler
