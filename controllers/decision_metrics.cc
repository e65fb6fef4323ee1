#include "controllers/decision_metrics.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "scheduler/base/amount.h"

namespace muster::controllers {

void DecisionMetrics::OnDecision(const scheduler::Decision& decision) {
  // What was bound half and gets an entry to be given up is not admitted.
  std::set<std::uint64_t> given_up;
  for (const auto& abandon : decision.abandons) given_up.insert(abandon.id);
  for (const auto& admit : decision.admits) {
    if (!given_up.contains(admit.id)) Admitted(admit);
  }
  if (decision.refused_pods > 0) {
    world_.telemetry.Count("schedule_attempts", decision.refused_pods,
                           {{"result", "unschedulable"}});
  }
  for (const std::string& queue : decision.changed_queues) ShowQueue(queue);
}

void DecisionMetrics::Admitted(const scheduler::Decision::Admit& admit) const {
  for (std::size_t i = 0; i < admit.pods.size(); ++i) {
    world_.telemetry.Observe("pod_scheduling_attempts", admit.attempts, {});
  }
  const bool gang = admit.min_member > 0;
  if (!gang || world_.stores.queue(admit.queue) == nullptr) return;
  world_.telemetry.Count("gangs_admitted", 1, {{"queue", admit.queue}});
  // Two clocks: the creation is of the API server's.
  const std::int64_t wait_ms = world_.loop.now().wall.ms - admit.queued.ms;
  world_.telemetry.Observe("admission_wait_ms", std::max<std::int64_t>(0, wait_ms),
                           {{"queue", admit.queue}});
}

void DecisionMetrics::ShowQueue(const std::string& queue) {
  ports::Telemetry& telemetry = world_.telemetry;
  const std::optional<scheduler::QueueStatus> status = world_.queue(queue);
  if (!status) {
    shown_.erase(queue);
    return telemetry.Forget({{"queue", queue}});
  }
  telemetry.Gauge("pending_gangs", status->pending_gangs, {{"queue", queue}});
  telemetry.Gauge("admitted_gangs", status->admitted_gangs, {{"queue", queue}});
  std::set<std::string> resources;
  for (const auto& use : status->resources) {
    telemetry.Gauge("queue_nominal_quota", use.nominal,
                    {{"queue", queue}, {"resource", use.resource}});
    telemetry.Gauge("queue_resource_usage", use.used,
                    {{"queue", queue}, {"resource", use.resource}});
    resources.insert(use.resource);
  }
  for (const std::string& resource : std::exchange(shown_[queue], resources)) {
    if (resources.contains(resource)) continue;
    telemetry.Forget({{"queue", queue}, {"resource", resource}});
  }
}

void ShowLeading(ports::Telemetry& telemetry, std::string_view lease, bool leading) {
  telemetry.Gauge("leader_election_master", leading ? 1 : 0, {{"name", lease}});
}

void ShowPending(ports::Telemetry& telemetry, const scheduler::PendingPods& pods) {
  telemetry.Gauge("pending_pods", pods.active, {{"queue", "active"}});
  telemetry.Gauge("pending_pods", pods.backoff, {{"queue", "backoff"}});
  telemetry.Gauge("pending_pods", pods.unschedulable, {{"queue", "unschedulable"}});
  telemetry.Gauge("pending_pods", pods.gated, {{"queue", "gated"}});
}

void ShowCapacity(ports::Telemetry& telemetry, const scheduler::Cluster& cluster) {
  const scheduler::ResourceTable& resources = cluster.resources();
  std::vector<Wide> totals(resources.size());
  for (const scheduler::NodeId node : cluster.nodes()) {
    const auto amounts = cluster.allocatable(node);
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += amounts[i];
  }
  for (std::uint32_t i = 0; i < resources.size(); ++i) {
    const scheduler::ResourceId id{i};
    if (id == scheduler::kUnknownResource) continue;
    telemetry.Gauge("cluster_capacity", Saturate(totals[i]), {{"resource", resources.name(id)}});
  }
}

void CountAttempt(ports::Telemetry& telemetry, std::string_view result) {
  telemetry.Count("schedule_attempts", 1, {{"result", result}});
}

void CountSettled(ports::Telemetry& telemetry, const Stores& stores, const Entry& entry) {
  telemetry.Count("entries_settled", 1);
  const bool any_bound = std::ranges::any_of(
      entry.members, [](const Member& member) { return member.state == MemberState::kBound; });
  // For a queue that is gone nobody would end the series.
  if (entry.min_member == 0 || !any_bound || stores.queue(entry.queue) == nullptr) return;
  telemetry.Count("gangs_bound", 1, {{"queue", entry.queue}});
}

}  // namespace muster::controllers
