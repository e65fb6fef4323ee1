// What every filter and score says of every node, for one shape: verdict, slots and exact order key
// per node, kept in a max-tree, and the slots of every domain. It is a cache: CatchUp reads the
// cluster's change log and asks the plugins again for the nodes in it, as far as their scope says.
// So a commit and a rollback need not know of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/base/max_tree.h"
#include "scheduler/framework/plugin_set.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/topology.h"

namespace muster::scheduler {

class ShapeIndex {
 public:
  // Why a node takes no pod of the shape; `slots` > 0 means it takes some.
  struct Verdict {
    std::int32_t slots = 0;
    bool exists = false;
    bool eligible = false;    // Every kNodeSpec filter passed: what lacks is room.
    std::string_view reason;  // Of the filter that refused first.
    std::uint64_t lacking = 0;
  };

  // The topology outlives it, and has caught up whenever this does.
  ShapeIndex(const Cluster& cluster, const PluginSet& plugins, const Topology& topology,
             ShapeId shape);

  // Brings the index to the present state of the cluster. False: it cannot (the log is too short,
  // names or resources changed their numbers, the shape is another one): make a new one.
  [[nodiscard]] bool CatchUp(const Cluster& cluster);

  [[nodiscard]] ShapeId shape() const { return shape_; }
  // Pods of the shape that the cluster takes, node by node. Exact: what fits by this number fits.
  [[nodiscard]] std::int64_t total_slots() const { return total_slots_; }
  // The same of one domain.
  [[nodiscard]] std::int64_t slots(DomainId domain) const { return domain_slots_[domain.value]; }
  [[nodiscard]] std::int32_t nodes_with_slots() const { return nodes_with_slots_; }
  [[nodiscard]] const Verdict& verdict(NodeId node) const { return nodes_[node.value].verdict; }
  // 0 for a node without a slot; else larger is better, and no two nodes are equal.
  [[nodiscard]] std::uint64_t key(NodeId node) const { return tree_.Get(node.value); }
  // Of a node with slots: the key that it would have with so much more score, at least 0.
  [[nodiscard]] std::uint64_t RaisedKey(NodeId node, std::int64_t score) const;
  [[nodiscard]] std::optional<NodeId> Best() const;
  // Both for a node with slots: the weighted sum, and each score before its weight, by plugin name.
  [[nodiscard]] std::int64_t Total(NodeId node) const;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> ScoreParts(const Cluster& cluster,
                                                                             NodeId node) const;

  // kube-scheduler's histogram: how many nodes say each reason. Ordered by reason.
  [[nodiscard]] std::map<std::string, std::int32_t> Histogram(const Cluster& cluster) const;

  // Growth since the last SetBaseline: nodes that take more pods now than then.
  void SetBaseline();
  [[nodiscard]] bool Grew(NodeId node) const;

 private:
  // One cache line for each node: of tens of thousands each is far away when it changes.
  struct alignas(64) Node {
    Verdict verdict;
    bool by_object = false;  // Refused by what kNodeSpec filters see: its use cannot change that.
    std::int32_t object_slots = 0;  // By the kNodeSpec filters alone.
    std::int32_t baseline = 0;      // Slots at the last SetBaseline.
    std::int64_t base = 0;          // Sum of the scores that need no normalising, weighted.
    std::uint64_t pass = 0;         // In which it was found in the log last.
    bool object = false;            // In that pass: the object changed.
  };

  void Gather(std::span<const Columns::Change> changes);
  void CountSlots(NodeId node, std::int64_t by);
  void CountDomains(const Cluster& cluster);
  // False: nothing of it can have changed. `object`: else its use alone did.
  bool Evaluate(const Cluster& cluster, NodeId node, bool object);
  void Ask(const Cluster& cluster, NodeId node, bool object);
  // Of the normalised scores, in their order.
  [[nodiscard]] std::int64_t& Raw(NodeId node, std::size_t which) {
    return raw_[node.value * normalised_.size() + which];
  }
  [[nodiscard]] std::int64_t Raw(NodeId node, std::size_t which) const {
    return raw_[node.value * normalised_.size() + which];
  }
  void CountRaw(NodeId node, int by);
  void SetKey(const Cluster& cluster, NodeId node);
  void SetAllKeys(const Cluster& cluster);
  [[nodiscard]] std::int64_t Normalised(std::size_t which, std::int64_t raw) const;
  void Grow(const Cluster& cluster);

  const Topology* topology_;
  std::uint64_t layout_ = 0;  // Of the topology; 0 = the slots of domains are not counted yet.
  ShapeId shape_;
  std::uint64_t version_ = 0;      // Of the shape.
  std::uint64_t order_epoch_ = 0;  // Of the name labels in the keys.
  std::uint32_t resources_ = 0;    // Interned when the plugins prepared.
  std::uint64_t seq_ = 0;          // Of the change log.

  struct Filter {
    const FilterPlugin* plugin = nullptr;
    std::unique_ptr<Prepared> prepared;
    bool of_object = false;  // Scope kNodeSpec.
  };
  struct Score {
    std::string_view name;
    const ScorePlugin* plugin = nullptr;
    std::int64_t weight = 1;
    std::unique_ptr<Prepared> prepared;
  };
  std::vector<Filter> filters_;
  std::vector<Score> plain_, normalised_;
  // How many eligible nodes have each raw value; the largest is what normalising divides by.
  std::vector<std::map<std::int64_t, std::int32_t>> raw_counts_;
  std::vector<std::int64_t> raw_max_;

  std::vector<Node> nodes_;        // By node row.
  std::vector<std::int64_t> raw_;  // By node row x normalised score.
  std::uint64_t pass_ = 0;
  std::vector<NodeId> logged_;   // Of one CatchUp, without repeats.
  std::vector<NodeId> changed_;  // Asked since SetBaseline; may repeat.
  MaxTree tree_;
  std::int64_t total_slots_ = 0;
  std::vector<std::int64_t> domain_slots_;
  std::int32_t nodes_with_slots_ = 0;
};

// Slots of a shape on one node without an index; O(filters).
[[nodiscard]] std::int32_t SlotsOn(const Cluster& cluster, const PluginSet& plugins, ShapeId shape,
                                   NodeId node);
// True if the filters that look at the node object alone let the shape in.
[[nodiscard]] bool SpecAllows(const Cluster& cluster, const PluginSet& plugins, ShapeId shape,
                              NodeId node);

}  // namespace muster::scheduler
