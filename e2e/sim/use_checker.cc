#include "e2e/sim/use_checker.h"

#include <algorithm>
#include <string>

#include "crds/quantity.h"

namespace muster::e2e {

std::optional<std::int64_t> CeilingOf(const crds::QueueResource& resource) {
  if (!resource.borrowing_limit) return std::nullopt;
  const Unit unit = UnitOf(resource.name);
  const auto nominal = crds::ParseQuota(resource.nominal_quota, unit);
  const auto beyond = crds::ParseQuota(*resource.borrowing_limit, unit);
  // One of the two says nothing: the queue is not active.
  if (!nominal.ok() || !beyond.ok()) return std::nullopt;
  return nominal.value().amount + beyond.value().amount;
}

void UseChecker::OnBound(const crds::Pod& pod) const {
  CheckNode(pod);
  CheckQueue(pod);
}

void UseChecker::CheckNode(const crds::Pod& pod) const {
  const auto node = shadow_.nodes().find(pod.node_name);
  if (node == shadow_.nodes().end()) return;
  Amounts allocatable;
  for (const auto& [resource, amount] : node->second.allocatable) allocatable[resource] = amount;
  Amounts use = shadow_.UseOfNode(pod.node_name);
  for (const auto& [resource, amount] : AmountsOf(pod)) {
    if (amount == 0 || use[resource] <= allocatable[resource]) continue;
    complain_("room (1): node " + pod.node_name + " has " + std::to_string(allocatable[resource]) +
              " of " + resource + ", " + std::to_string(use[resource]) +
              " are used after binding " + pod.meta.name);
  }
}

void UseChecker::CheckQueue(const crds::Pod& pod) const {
  const auto admitted = pod.meta.annotations.find(kAdmittedQueue);
  if (admitted == pod.meta.annotations.end())
    return complain_("quota (3): no queue is charged with " + pod.meta.name);
  const auto queue = shadow_.queues().find(admitted->second);
  if (queue == shadow_.queues().end()) return;
  Amounts use = shadow_.UseOfQueue(admitted->second);
  for (const crds::QueueResource& resource : queue->second.resources) {
    const std::optional<std::int64_t> most = CeilingOf(resource);
    const Amounts charge = AmountsOf(pod);
    if (!most || !charge.contains(resource.name) || use[resource.name] <= *most) continue;
    complain_("quota (3): queue " + admitted->second + " may use " + std::to_string(*most) +
              " of " + resource.name + ", and uses " + std::to_string(use[resource.name]) +
              " after binding " + pod.meta.name);
  }
}

}  // namespace muster::e2e
