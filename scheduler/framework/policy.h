// Which plugins are enabled, in which order, with which weight and arguments. A value: what it
// holds is descriptors and arguments, the plugins themselves are made by PluginSet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/base/result.h"
#include "scheduler/framework/plugin.h"

namespace muster::scheduler {

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

 private:
  std::vector<Use> uses_;
};

// nullptr: no plugin of this name is in scheduler/plugins/.
[[nodiscard]] const PluginDescriptor* FindPlugin(std::string_view name);

// Every filter; scores MostAllocated 1, GpuBinPack 1, TaintToleration 3, ModelLocality 3.
[[nodiscard]] Policy DefaultPolicy();

}  // namespace muster::scheduler
