// Which gang is tried next: those that are half bound and never ran, then what the QueueSort plugin
// says (priority, a run below the minimum, time of waiting), then the name. A value, so that
// ordered sets can hold it; it is made anew whenever something about the gang changed.
#pragma once

#include <compare>
#include <cstdint>

#include "scheduler/framework/plugin_set.h"
#include "scheduler/model/cluster.h"
#include "scheduler/solve/retry.h"
#include "scheduler/solve/work.h"

namespace muster::scheduler {

struct OrderKey {
  // 0: bound members wait for the rest; if it does not come they are undone.
  std::int8_t tier = 1;
  SortKey sort{};
  Key key;
  Uid uid;
  friend auto operator<=>(const OrderKey&, const OrderKey&) = default;
};

[[nodiscard]] OrderKey OrderOf(const Cluster& cluster, const PluginSet& plugins,
                               const RetryTable& retries, GangId gang);

}  // namespace muster::scheduler
