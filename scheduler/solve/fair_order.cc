#include "scheduler/solve/fair_order.h"

namespace muster::scheduler {

OrderKey OrderOf(const Cluster& cluster, const PluginSet& plugins, const RetryTable& retries,
                 GangId gang) {
  const GangRow& row = cluster.gang(gang);
  const MemberCounts counts = cluster.counts(gang);
  const bool below = counts.bound > 0 && !IsWhole(cluster, gang);
  OrderKey order;
  order.tier = below && !HasRun(cluster, retries, gang) ? 0 : 1;
  order.sort =
      plugins.queue_sort->QueueSort({cluster, gang, QueueTime(cluster, retries, gang), below});
  order.key = row.key;
  order.uid = row.uid;
  return order;
}

}  // namespace muster::scheduler
