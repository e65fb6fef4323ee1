// Orders gangs by priority; of equal ones those first that run below their minimum, then by the
// time since which they wait.
#include "scheduler/framework/plugin.h"

namespace muster::scheduler {
namespace {

class PrioritySort final : public Simple<PrioritySort>, public QueueSortPlugin {
 public:
  [[nodiscard]] SortKey QueueSort(const GangView& gang) const override {
    const std::int64_t repaired = gang.below ? 0 : 1;
    return {-std::int64_t{gang.cluster.Priority(gang.gang)}, repaired, gang.queue_time.ms};
  }
};

}  // namespace

extern const PluginDescriptor priority_sort_plugin;
constinit const PluginDescriptor priority_sort_plugin =
    DescribePlugin<PrioritySort>("PrioritySort");

}  // namespace muster::scheduler
