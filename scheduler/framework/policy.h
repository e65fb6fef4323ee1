// What the core is told at its start: which plugins are enabled, in which order, with which weight
// and arguments, the levels of the topology, and how long what waits is left alone. A value: what it
// holds of plugins is descriptors and arguments, they themselves are made by PluginSet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/base/result.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/model/topology.h"

namespace muster::scheduler {

// The wait after so many errors in a row: the first, doubled with each, up to the last.
struct BackoffRange {
  std::int64_t first_ms = 1'000, max_ms = 10'000;  // 0 < first <= max.
  friend bool operator==(const BackoffRange&, const BackoffRange&) = default;
};

struct QueueTimes {
  BackoffRange backoff;  // After an error, and after a search that failed.
  // Every class that waits is asked again so often, whatever has changed; positive. As
  // kube-scheduler's --pod-max-in-unschedulable-pods-duration.
  std::int64_t unschedulable_flush_ms = 300'000;
  friend bool operator==(const QueueTimes&, const QueueTimes&) = default;
};

class Policy {
 public:
  struct Use {
    const PluginDescriptor* plugin = nullptr;
    std::int64_t weight = 1;  // Of its score; 0 = it filters but does not score.
    ArgMap args;
  };

  // Filters act in the order in which they are enabled: the first that says no gives the reason.
  // An Error when the arguments are not the plugin's or the weight is out of [0, 1000].
  [[nodiscard]] Result<void> Enable(Use use);
  [[nodiscard]] std::span<const Use> uses() const { return uses_; }

  // Outermost first. An Error when one has no name or no label, or as another has.
  [[nodiscard]] Result<void> SetLevels(std::vector<TopologyLevel> levels);
  [[nodiscard]] const std::vector<TopologyLevel>& levels() const { return levels_; }

  void SetTimes(const QueueTimes& times);  // In their ranges.
  [[nodiscard]] const QueueTimes& times() const { return times_; }

  // Members beyond the minimum that find no node are Unschedulable, on which autoscalers act; else
  // Surplus, and no node is bought for them.
  void SetAutoscaleSurplus(bool on) { autoscale_surplus_ = on; }
  [[nodiscard]] bool autoscale_surplus() const { return autoscale_surplus_; }

 private:
  std::vector<Use> uses_;
  std::vector<TopologyLevel> levels_;
  QueueTimes times_;
  bool autoscale_surplus_ = false;
};

// nullptr: no plugin of this name is in scheduler/plugins/.
[[nodiscard]] const PluginDescriptor* FindPlugin(std::string_view name);

// zone, block, rack, nvlink, host: the labels of Kubernetes and of GPU feature discovery where
// these have one, else of our own.
[[nodiscard]] std::vector<TopologyLevel> DefaultLevels();

// Every filter; scores MostAllocated 1, NodeResourcesBalancedAllocation 1, GpuBinPack 1,
// TaintToleration 3, NodeAffinity 2, ModelLocality 3; the default levels.
[[nodiscard]] Policy DefaultPolicy();

}  // namespace muster::scheduler
