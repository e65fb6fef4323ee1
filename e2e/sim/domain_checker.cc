#include "e2e/sim/domain_checker.h"

namespace muster::e2e {
namespace {

// Bound for this PodGroup by an operator.
bool IsMemberOf(const crds::PodGroup& group, const crds::Pod& pod) {
  const auto uid = pod.meta.annotations.find("muster.dev/admitted-group-uid");
  return uid != pod.meta.annotations.end() && uid->second == group.meta.uid && IsActive(pod);
}

}  // namespace

std::string DomainChecker::RackOf(const std::string& node) const {
  const auto now = shadow_.nodes().find(node);
  if (now != shadow_.nodes().end()) return RackLabelOf(now->second);
  const auto before = racks_.find(node);
  return before == racks_.end() ? "" : before->second;
}

void DomainChecker::OnBound(const crds::Pod& now) {
  const auto label = now.meta.labels.find(kGroupLabel);
  if (label == now.meta.labels.end()) return;
  const auto group = shadow_.groups().find({now.meta.ns, label->second});
  if (group == shadow_.groups().end() || group->second.topology.required != "rack") return;
  if (!IsMemberOf(group->second, now)) return;
  const std::string rack = RackOf(now.node_name);
  if (rack.empty()) {
    complain_("domain (10): " + now.meta.name + " has to be in a rack, and is bound to " +
              now.node_name + ", which is in none");
  }
  for (const auto& [name, pod] : shadow_.pods()) {
    if (pod.meta.uid == now.meta.uid || !IsMemberOf(group->second, pod)) continue;
    ++checked_;
    const std::string other = RackOf(pod.node_name);
    if (other == rack) continue;
    complain_("domain (10): gang " + label->second + " has members in " + rack + " (" +
              now.node_name + ") and " + other + " (" + pod.node_name + ")");
  }
}

void DomainChecker::Tick() {
  for (const auto& [name, node] : shadow_.nodes()) racks_[name] = RackLabelOf(node);
}

}  // namespace muster::e2e
