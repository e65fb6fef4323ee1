// The live shape indexes, and the topology that they count by: at most 64, the least recently used
// one goes first. Made on demand.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/solve/shape_index.h"

namespace muster::scheduler {

class ShapeIndexes {
 public:
  static constexpr std::size_t kMaxLive = 64;

  explicit ShapeIndexes(const PluginSet& plugins) : plugins_(&plugins), topology_(plugins.levels) {}
  ShapeIndexes(const ShapeIndexes&) = delete;
  ShapeIndexes& operator=(const ShapeIndexes&) = delete;

  // At the present state of the cluster.
  const Topology& TopologyOf(const Cluster& cluster) {
    topology_.CatchUp(cluster);
    return topology_;
  }

  // The index of the shape, at the present state of the cluster. Valid until the next call.
  ShapeIndex& At(const Cluster& cluster, ShapeId shape);
  // The same, but nullptr where At would have to make one: then nothing is known of growth.
  ShapeIndex* IfLive(const Cluster& cluster, ShapeId shape);
  // From here on growth is measured (ShapeIndex::Grew).
  void SetBaseline(const Cluster& cluster);
  [[nodiscard]] std::size_t live() const { return live_.size(); }

 private:
  struct Entry {
    std::unique_ptr<ShapeIndex> index;
    std::uint64_t used = 0;
  };
  Entry* Find(ShapeId shape);

  const PluginSet* plugins_;
  Topology topology_;
  std::vector<Entry> live_;
  std::uint64_t uses_ = 0;
  std::uint64_t baseline_ = 0;  // uses_ when growth was last measured from.
};

}  // namespace muster::scheduler
