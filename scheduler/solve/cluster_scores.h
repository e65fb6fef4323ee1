// The scores of scope kCluster, for pods of one shape that are about to be placed. What they look
// at changes without any node being touched, and pods of one shape may differ in it, so no index
// keeps them: they are asked anew for each placement, and their sum joins the keys of the index.
// They order nodes and nothing else: whether a gang fits, and when it is tried again, is known
// without them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/framework/plugin_set.h"
#include "scheduler/solve/shape_index.h"

namespace muster::scheduler {

class ClusterScores {
 public:
  // At the present state of the cluster. nullptr: none.
  ClusterScores(const Cluster& cluster, const PluginSet* plugins, std::span<const PodId> pods);

  [[nodiscard]] bool empty() const { return asked_.empty(); }
  // Their weighted sum; of pods that differ the mean, so that each counts as much.
  [[nodiscard]] std::int64_t Total(NodeId node) const;
  // ShapeIndex::key with that on top: 0 for a node without a slot.
  [[nodiscard]] std::uint64_t Key(const ShapeIndex& index, NodeId node) const;
  // Each before its weight, by plugin name. Of a single pod.
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> Parts(NodeId node) const;

 private:
  struct Asked {
    const PluginSet::Score* score = nullptr;
    PodView pod;
    std::int64_t pods = 0;  // That are like it.
    std::unique_ptr<Prepared> prepared;
  };
  [[nodiscard]] std::int64_t Ask(const Asked& asked, NodeId node) const;

  const Cluster* cluster_;
  std::int64_t pods_ = 0;
  std::vector<Asked> asked_;  // Who applies.
};

}  // namespace muster::scheduler
