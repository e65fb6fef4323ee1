// The domains of the cluster, as a tree by the configured levels (zone, rack, ..): nodes that have
// the labels of a level, and of all levels around it, in common. A node without the label of a
// level is in no domain of it, but in those around. A cache: it reads the change log, and is laid
// out anew when a node comes, goes or moves. Knows nothing of use.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/model/cluster.h"

namespace muster::scheduler {

struct TopologyLevel {
  std::string name;        // As PodGroups say it: "rack".
  std::string node_label;  // Whose value is the name of the node's domain.
  friend bool operator==(const TopologyLevel&, const TopologyLevel&) = default;
};

// Numbered from the outside inward, each domain before those inside it and these in the order of
// their names: so ids compare as the names do, and mean something else after every new layout.
using DomainId = StrongId<struct DomainTag>;
inline constexpr DomainId kWholeCluster{0};
// 1 is the outermost level; 0 stands for the whole cluster, which is one domain.
using LevelId = std::uint32_t;

class Topology {
 public:
  struct Domain {
    LevelId level = 0;
    std::string name;  // Value of the label; domains of one name in two zones are two.
    DomainId parent = kWholeCluster;
    std::uint32_t end = 0;          // Ids from its own to this one are the domains inside it.
    std::vector<DomainId> inner{};  // Directly inside it.
    std::vector<NodeId> nodes{};    // In none of `inner`; in no order.
  };

  // Outermost first.
  explicit Topology(std::vector<TopologyLevel> levels);

  void CatchUp(const Cluster& cluster);
  [[nodiscard]] bool IsCurrent(const Cluster& cluster) const {
    return seq_ == cluster.columns().change_seq();
  }
  // Another one means another layout. Never 0.
  [[nodiscard]] std::uint64_t layout() const { return layout_; }

  [[nodiscard]] std::span<const TopologyLevel> levels() const { return levels_; }
  [[nodiscard]] std::optional<LevelId> FindLevel(std::string_view name) const;
  [[nodiscard]] const std::string& LevelName(LevelId level) const {
    return levels_[level - 1].name;
  }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(domains_.size()); }
  [[nodiscard]] const Domain& domain(DomainId id) const { return domains_[id.value]; }
  // By id.
  [[nodiscard]] std::span<const DomainId> OfLevel(LevelId level) const { return by_level_[level]; }
  // The innermost one; the whole cluster for a ghost.
  [[nodiscard]] DomainId Of(NodeId node) const {
    return node.value < of_.size() ? of_[node.value] : kWholeCluster;
  }
  // False: where it lies is not known.
  [[nodiscard]] bool Knows(NodeId node) const {
    return node.value < places_.size() && places_[node.value].exists;
  }
  // The one of that level; none where the node lacks the label.
  [[nodiscard]] std::optional<DomainId> At(NodeId node, LevelId level) const;
  [[nodiscard]] bool Contains(DomainId domain, NodeId node) const {
    const DomainId inside = Of(node);
    return inside.value >= domain.value && inside.value < this->domain(domain).end;
  }
  // All that lie in it, in no order.
  [[nodiscard]] std::vector<NodeId> NodesIn(DomainId domain) const;

 private:
  // The levels whose label the node has, with its value, outermost first.
  using Path = std::vector<std::pair<LevelId, std::string>>;
  struct Place {
    bool exists = false;
    Path path{};
    friend bool operator==(const Place&, const Place&) = default;
  };
  [[nodiscard]] Place PlaceOf(const Cluster& cluster, NodeId node) const;
  // True if the node is where it was.
  bool Note(const Cluster& cluster, NodeId node);
  void LayOut(const Cluster& cluster);

  std::vector<TopologyLevel> levels_;
  std::vector<Place> places_;  // By node row.
  std::vector<Domain> domains_;
  std::vector<std::vector<DomainId>> by_level_;
  std::vector<DomainId> of_;  // By node row.
  std::uint64_t seq_ = 0;     // Of the change log.
  std::uint64_t layout_ = 0;
};

}  // namespace muster::scheduler
