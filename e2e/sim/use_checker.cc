#include "e2e/sim/use_checker.h"

#include <map>

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

// An entry that is given up promises nothing more: what was touched is free although the page names
// it. Nor does a node that was made again since.
void UseChecker::OnPage() const {
  std::map<std::string, std::map<std::string, const crds::Pod*>> promised;  // By node and uid.
  for (const Shadow::Named& named : shadow_.NamedPods()) {
    const auto node = shadow_.nodes().find(named.node->name);
    const crds::Pod* pod = shadow_.Waiting(named);
    if (named.entry->abandon || pod == nullptr || node == shadow_.nodes().end()) continue;
    if (node->second.meta.uid == named.node->uid) promised[named.node->name][pod->meta.uid] = pod;
  }
  for (const auto& [node, pods] : promised) {
    Amounts more;
    for (const auto& [uid, pod] : pods) {
      for (const auto& [resource, amount] : AmountsOf(*pod)) more[resource] += amount;
    }
    CheckNode(node, more, " are used or promised");
  }
}

void UseChecker::OnBound(const crds::Pod& pod) const {
  Amounts nothing;
  for (const auto& [resource, amount] : AmountsOf(pod)) {
    if (amount > 0) nothing[resource] = 0;
  }
  CheckNode(pod.node_name, nothing, " are used after binding " + pod.meta.name);
  CheckQueue(pod);
}

// What is used and `more`, in the resources of that.
void UseChecker::CheckNode(const std::string& name, const Amounts& more,
                           const std::string& how) const {
  const auto node = shadow_.nodes().find(name);
  if (node == shadow_.nodes().end()) return;
  Amounts allocatable;
  for (const auto& [resource, amount] : node->second.allocatable) allocatable[resource] = amount;
  if (excuses_ != nullptr) allocatable[kGpu] += excuses_->TakenOn(name);
  Amounts use = shadow_.UseOfNode(name);
  for (const auto& [resource, amount] : more) {
    if (use[resource] + amount <= allocatable[resource]) continue;
    complain_(Text("room (1): node ", name, " has ", allocatable[resource], " of ", resource, ", ",
                   use[resource] + amount, how));
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
    std::optional<std::int64_t> most = CeilingOf(resource);
    if (most && excuses_ != nullptr && resource.name == kGpu) {
      *most += excuses_->TakenOn(Excuses::Queue(admitted->second));
    }
    const Amounts charge = AmountsOf(pod);
    if (!most || !charge.contains(resource.name) || use[resource.name] <= *most) continue;
    complain_(Text("quota (3): queue ", admitted->second, " may use ", *most, " of ", resource.name,
                   ", and uses ", use[resource.name], " after binding ", pod.meta.name));
  }
}

}  // namespace muster::e2e
