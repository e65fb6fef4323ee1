#include "scheduler/framework/policy.h"

#include <array>
#include <set>
#include <string>
#include <utility>

namespace muster::scheduler {

Result<void> Policy::Enable(Use use) {
  MUSTER_CHECK(use.plugin != nullptr);
  constexpr std::int64_t kMaxWeight = 1000;
  if (use.weight < 0 || use.weight > kMaxWeight) {
    return Error{Code::kInvalidArgument,
                 "weight of " + std::string(use.plugin->name) + " is out of [0, 1000]"};
  }
  MUSTER_TRY(use.plugin->create(use.args));
  uses_.push_back(std::move(use));
  return {};
}

void Policy::SetTimes(const QueueTimes& times) {
  MUSTER_CHECK(times.backoff.first_ms > 0);
  MUSTER_CHECK(times.backoff.first_ms <= times.backoff.max_ms);
  MUSTER_CHECK(times.unschedulable_flush_ms > 0);
  times_ = times;
}

Result<void> Policy::SetLevels(std::vector<TopologyLevel> levels) {
  std::set<std::string_view> names, labels;
  for (const TopologyLevel& level : levels) {
    if (level.name.empty() || level.node_label.empty()) {
      return Error{Code::kInvalidArgument, "a level needs a name and a nodeLabel"};
    }
    if (!names.insert(level.name).second) {
      return Error{Code::kInvalidArgument, "level " + level.name + " is there twice"};
    }
    if (!labels.insert(level.node_label).second) {
      return Error{Code::kInvalidArgument, "nodeLabel " + level.node_label + " is there twice"};
    }
  }
  levels_ = std::move(levels);
  return {};
}

const PluginDescriptor* FindPlugin(std::string_view name) {
  for (const PluginDescriptor* plugin : AllPlugins()) {
    if (plugin->name == name) return plugin;
  }
  return nullptr;
}

std::vector<TopologyLevel> DefaultLevels() {
  return {{"zone", "topology.kubernetes.io/zone"},
          {"block", "topology.muster.dev/block"},
          {"rack", "topology.muster.dev/rack"},
          {"nvlink", "nvidia.com/gpu.clique"},
          {"host", "kubernetes.io/hostname"}};
}

Policy DefaultPolicy() {
  struct Row {
    std::string_view name;
    std::int64_t weight;
  };
  // Upstream's order of filters, so that a node with two faults gives upstream's reason.
  constexpr std::array kRows{
      Row{"PrioritySort", 1},
      Row{"NodeUnschedulable", 1},
      Row{"NodeName", 1},
      Row{"TaintToleration", 3},
      Row{"NodeAffinity", 2},
      Row{"GpuFit", 1},
      Row{"ModelRequired", 1},
      Row{"NodeResourcesFit", 1},
      Row{"ModelLocality", 3},
      Row{"GpuBinPack", 1},
      Row{"NodeResourcesBalancedAllocation", 1},
  };
  Policy policy;
  for (const Row& row : kRows) {
    const PluginDescriptor* plugin = FindPlugin(row.name);
    MUSTER_CHECK(plugin != nullptr);
    ArgMap args;
    if (row.name == "NodeResourcesFit") args["strategy"] = std::string("MostAllocated");
    const Result<void> enabled =
        policy.Enable({.plugin = plugin, .weight = row.weight, .args = std::move(args)});
    MUSTER_CHECK(enabled.ok());
  }
  const Result<void> levels = policy.SetLevels(DefaultLevels());
  MUSTER_CHECK(levels.ok());
  return policy;
}

}  // namespace muster::scheduler
