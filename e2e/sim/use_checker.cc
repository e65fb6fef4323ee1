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

// An entry that is given up promises nothing more: what was touched is free although the page names
// it. Nor does a node that was made again since.
void UseChecker::OnPage() const {
  std::map<std::string, std::map<std::string, const crds::Pod*>> promised;  // By node and uid.
  for (const auto& [name, page] : shadow_.pages()) {
    for (const crds::JournalEntry& entry : page.entries) {
      for (const crds::JournalEntry::Node& at : entry.nodes) {
        const auto node = shadow_.nodes().find(at.name);
        if (entry.abandon || node == shadow_.nodes().end()) continue;
        if (node->second.meta.uid != at.uid) continue;
        for (const crds::JournalEntry::Pod& named : at.pods) {
          const crds::Pod* pod = Waiting({entry.ns, named.name}, named.uid);
          if (pod != nullptr) promised[at.name][named.uid] = pod;
        }
      }
    }
  }
  for (const auto& [name, pods] : promised) {
    Amounts allocatable;
    for (const auto& [resource, amount] : shadow_.nodes().at(name).allocatable) {
      allocatable[resource] = amount;
    }
    Amounts use = shadow_.UseOfNode(name);
    for (const auto& [uid, pod] : pods) {
      for (const auto& [resource, amount] : AmountsOf(*pod)) use[resource] += amount;
    }
    for (const auto& [resource, amount] : AmountsOf(*pods.begin()->second)) {
      if (amount == 0 || use[resource] <= allocatable[resource]) continue;
      complain_("room (1): node " + name + " has " + std::to_string(allocatable[resource]) +
                " of " + resource + ", " + std::to_string(use[resource]) + " are used or promised");
    }
  }
}

const crds::Pod* UseChecker::Waiting(const Shadow::Name& name, const std::string& uid) const {
  const auto found = shadow_.pods().find(name);
  if (found == shadow_.pods().end() || found->second.meta.uid != uid) return nullptr;
  const crds::Pod& pod = found->second;
  const bool waits = pod.node_name.empty() && !IsTerminal(pod) && !pod.meta.deletion_ms;
  return waits ? &pod : nullptr;
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
