// The plugins of one policy, made and sorted by extension point, and its levels. Owns them. Not
// copyable.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "scheduler/framework/plugin.h"
#include "scheduler/framework/policy.h"

namespace muster::scheduler {

class PluginSet {
 public:
  struct Filter {
    std::string_view name;
    const FilterPlugin* plugin = nullptr;
  };
  struct Score {
    std::string_view name;
    std::int64_t weight = 1;
    const ScorePlugin* plugin = nullptr;
  };

  explicit PluginSet(const Policy& policy);

  // One plugin may stand in several lists. Each list is in the policy's order.
  std::vector<const PreEnqueuePlugin*> pre_enqueue;
  const QueueSortPlugin* queue_sort = nullptr;  // The last enabled one; as upstream, one acts.
  std::vector<Filter> filters;
  std::vector<const PostFilterPlugin*> post_filter;
  std::vector<Score> scores;          // Those that a shape index keeps.
  std::vector<Score> cluster_scores;  // Of scope kCluster.
  std::vector<const ReservePlugin*> reserve;
  std::vector<const PermitPlugin*> permit;
  std::vector<const PreBindPlugin*> pre_bind;
  std::vector<const PostBindPlugin*> post_bind;
  std::vector<TopologyLevel> levels;

 private:
  std::vector<std::unique_ptr<Plugin>> plugins_;
};

}  // namespace muster::scheduler
