#include "scheduler/solve/shape_indexes.h"

#include <algorithm>

namespace muster::scheduler {

ShapeIndexes::Entry* ShapeIndexes::Find(ShapeId shape) {
  const auto it = std::find_if(live_.begin(), live_.end(),
                               [&](const Entry& e) { return e.index->shape() == shape; });
  if (it == live_.end()) return nullptr;
  it->used = ++uses_;
  return &*it;
}

ShapeIndex* ShapeIndexes::IfLive(const Cluster& cluster, ShapeId shape) {
  topology_.CatchUp(cluster);
  Entry* entry = Find(shape);
  if (entry == nullptr || !entry->index->CatchUp(cluster)) return nullptr;
  return entry->index.get();
}

ShapeIndex& ShapeIndexes::At(const Cluster& cluster, ShapeId shape) {
  topology_.CatchUp(cluster);
  Entry* entry = Find(shape);
  if (entry != nullptr && entry->index->CatchUp(cluster)) return *entry->index;
  if (entry == nullptr && live_.size() == kMaxLive) {
    entry = &*std::min_element(live_.begin(), live_.end(),
                               [](const Entry& a, const Entry& b) { return a.used < b.used; });
  }
  if (entry == nullptr) entry = &live_.emplace_back();
  entry->index = std::make_unique<ShapeIndex>(cluster, *plugins_, topology_, shape);
  entry->used = ++uses_;
  return *entry->index;
}

void ShapeIndexes::SetBaseline(const Cluster& cluster) {
  topology_.CatchUp(cluster);
  // One that cannot catch up is of no use to anybody any more. One that was not asked since the
  // last baseline has nothing new to measure from.
  std::erase_if(live_, [&](Entry& entry) {
    if (entry.used <= baseline_) return false;
    if (!entry.index->CatchUp(cluster)) return true;
    entry.index->SetBaseline();
    return false;
  });
  baseline_ = uses_;
}

}  // namespace muster::scheduler
