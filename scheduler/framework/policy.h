// What the core is told at its start: which plugins are enabled, in which order, with which weight
// and arguments, the levels of the topology, and how long what waits is left alone. A value: what
// it holds of plugins is descriptors and arguments, they themselves are made by PluginSet.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
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
  static constexpr std::int64_t kMaxWeight = 1000;
  struct Use {
    const PluginDescriptor* plugin = nullptr;
    std::int64_t weight = 1;  // Of its score, up to kMaxWeight; 0 = it does not score.
    ArgMap args;
    bool filters = true;  // False: it does not, though it may be one that could.
    friend bool operator==(const Use&, const Use&) = default;
  };

  // Filters act in the order in which they are enabled: the first that says no gives the reason.
  // An Error when the arguments are not the plugin's or the weight is out of range.
  [[nodiscard]] Result<void> Enable(Use use);
  // These alone. An Error also when NodeResourcesFit does not filter: nodes would take any number.
  [[nodiscard]] Result<void> SetPlugins(std::vector<Use> uses);
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
// What it can be enabled for; a plugin may be both, or neither.
[[nodiscard]] bool IsFilter(const PluginDescriptor& plugin);
[[nodiscard]] bool IsScore(const PluginDescriptor& plugin);

// zone, block, rack, nvlink, host: the labels of Kubernetes and of GPU feature discovery where
// these have one, else of our own.
[[nodiscard]] std::vector<TopologyLevel> DefaultLevels();

// Every filter; scores MostAllocated 1, NodeResourcesBalancedAllocation 1, GpuBinPack 1,
// TaintToleration 3, NodeAffinity 2, ModelLocality 3, ImageLocality 1.
[[nodiscard]] std::vector<Policy::Use> DefaultPlugins();

// The default plugins and levels.
[[nodiscard]] Policy DefaultPolicy();

}  // namespace muster::scheduler
