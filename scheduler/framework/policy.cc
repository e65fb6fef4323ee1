#include "scheduler/framework/policy.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace muster::scheduler {
namespace {

constexpr std::string_view kCounts = "NodeResourcesFit";

template <class P>
bool Is(const PluginDescriptor& plugin) {
  const Result<std::unique_ptr<Plugin>> made = plugin.create({});
  MUSTER_CHECK(made.ok());  // Every argument has a default.
  return dynamic_cast<const P*>(made.value().get()) != nullptr;
}

}  // namespace

Result<void> Policy::Enable(Use use) {
  MUSTER_CHECK(use.plugin != nullptr);
  if (use.weight < 0 || use.weight > kMaxWeight) {
    return Error{Code::kInvalidArgument,
                 "weight of " + std::string(use.plugin->name) + " is out of [0, 1000]"};
  }
  MUSTER_TRY(use.plugin->create(use.args));
  uses_.push_back(std::move(use));
  return {};
}

Result<void> Policy::SetPlugins(std::vector<Use> uses) {
  const bool counts = std::ranges::any_of(
      uses, [](const Use& use) { return use.filters && use.plugin->name == kCounts; });
  if (!counts) {
    return Error{Code::kInvalidArgument, "the filter " + std::string(kCounts) +
                                             " cannot be left out: it alone counts what a node "
                                             "has free"};
  }
  Policy fresh;
  for (Use& use : uses) MUSTER_TRY(fresh.Enable(std::move(use)));
  uses_ = std::move(fresh.uses_);
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

bool IsFilter(const PluginDescriptor& plugin) {
  return Is<FilterPlugin>(plugin);
}

bool IsScore(const PluginDescriptor& plugin) {
  return Is<ScorePlugin>(plugin);
}

std::vector<TopologyLevel> DefaultLevels() {
  return {{"zone", "topology.kubernetes.io/zone"},
          {"block", "topology.muster.dev/block"},
          {"rack", "topology.muster.dev/rack"},
          {"nvlink", "nvidia.com/gpu.clique"},
          {"host", "kubernetes.io/hostname"}};
}

std::vector<Policy::Use> DefaultPlugins() {
  struct Row {
    std::string_view name;
    std::int64_t weight;
  };
  // Upstream's order of filters, so that a node with two faults gives upstream's reason.
  constexpr std::array kRows{
      Row{"PrioritySort", 0},
      Row{"NodeUnschedulable", 0},
      Row{"NodeName", 0},
      Row{"TaintToleration", 3},
      Row{"NodeAffinity", 2},
      Row{"GpuFit", 0},
      Row{"ModelRequired", 0},
      Row{kCounts, 1},
      Row{"ModelLocality", 3},
      Row{"GpuBinPack", 1},
      Row{"NodeResourcesBalancedAllocation", 1},
      Row{"ImageLocality", 1},
  };
  std::vector<Policy::Use> uses;
  for (const Row& row : kRows) {
    const PluginDescriptor* plugin = FindPlugin(row.name);
    MUSTER_CHECK(plugin != nullptr);
    ArgMap args;
    if (row.name == kCounts) args["strategy"] = std::string("MostAllocated");
    uses.push_back({.plugin = plugin,
                    .weight = row.weight,
                    .args = std::move(args),
                    .filters = IsFilter(*plugin)});
  }
  return uses;
}

Policy DefaultPolicy() {
  Policy policy;
  MUSTER_CHECK(policy.SetPlugins(DefaultPlugins()).ok());
  MUSTER_CHECK(policy.SetLevels(DefaultLevels()).ok());
  return policy;
}

}  // namespace muster::scheduler
