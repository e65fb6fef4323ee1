// What a decision says in numbers: how the queues stand that it changed, and what it admitted. The
// series of a queue end with it, those of a resource when the queue names it no more. Loop thread
// only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "controllers/entry.h"
#include "controllers/ports/loop.h"
#include "controllers/ports/telemetry.h"
#include "controllers/stores.h"
#include "scheduler/model/cluster.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers {

class DecisionMetrics {
 public:
  struct World {
    ports::Loop& loop;
    ports::Telemetry& telemetry;
    const Stores& stores;
    std::function<std::optional<scheduler::QueueStatus>(const std::string& queue)> queue;
  };

  explicit DecisionMetrics(World world) : world_(std::move(world)) {}
  DecisionMetrics(const DecisionMetrics&) = delete;
  DecisionMetrics& operator=(const DecisionMetrics&) = delete;

  // After each Decide, also one that found nothing to do.
  void OnDecision(const scheduler::Decision& decision);

 private:
  void Admitted(const scheduler::Decision::Admit& admit) const;
  void ShowQueue(const std::string& queue);

  World world_;
  std::map<std::string, std::set<std::string>> shown_;  // Resources of the queues with series.
};

// Whether this instance holds the Lease of that name.
void ShowLeading(ports::Telemetry& telemetry, std::string_view lease, bool leading);
void ShowPending(ports::Telemetry& telemetry, const scheduler::PendingPods& pods);
// What the nodes of now offer together, of each resource that a node or a queue has named; summed
// anew, since a sum that follows changes is wrong for good once it has missed one. O(nodes).
void ShowCapacity(ports::Telemetry& telemetry, const scheduler::Cluster& cluster);
// An attempt to schedule one pod has ended: "scheduled", "error".
void CountAttempt(ports::Telemetry& telemetry, std::string_view result);
// A journal entry was bound as far as it will be; the gang, if it is what brings it to its minimum.
void CountSettled(ports::Telemetry& telemetry, const Stores& stores, const Entry& entry);

}  // namespace muster::controllers
