#include <algorithm>

#include "e2e/sim/kubelet.h"

namespace muster::e2e {
namespace {

std::int64_t AmountOf(const crds::ResourceList& list, const std::string& resource) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const auto& entry) { return entry.first == resource; });
  return found != list.end() ? found->second : 0;
}

// Amounts of cpu and of devices are counted in thousandths; a kubelet names cpu so, devices whole.
std::int64_t Shown(const std::string& resource, std::int64_t amount) {
  return resource.find('/') != std::string::npos ? amount / 1000 : amount;
}

}  // namespace

// What kubelet's admission says (lifecycle/predicate.go, InsufficientResourceError).
Json Kubelets::Rejection(const Pod& pod) const {
  if (rejected_.contains(pod.uid)) {
    return {{"phase", "Failed"},
            {"reason", "UnexpectedAdmissionError"},
            {"message", "Allocate failed due to no healthy devices present, which is unexpected"}};
  }
  const crds::ResourceList& capacity = nodes_.at(pod.node);
  for (const auto& [resource, wanted] : pod.request) {
    const std::int64_t used = UsedOn(pod.node, resource);
    const std::int64_t limit = AmountOf(capacity, resource);
    if (wanted == 0 || used + wanted <= limit) continue;
    const auto number = [&resource](std::int64_t amount) {
      return std::to_string(Shown(resource, amount));
    };
    return {{"phase", "Failed"},
            {"reason", "OutOf" + resource},
            {"message", "Pod was rejected: Node didn't have enough resource: " + resource +
                            ", requested: " + number(wanted) + ", used: " + number(used) +
                            ", capacity: " + number(limit)}};
  }
  return nullptr;
}

std::int64_t Kubelets::UsedOn(const std::string& node, const std::string& resource) const {
  std::int64_t used = 0;
  for (const std::string& uid : on_node_.at(node)) {
    const Pod& pod = pods_.at(uid);
    if (pod.admitted && !pod.terminal) used += AmountOf(pod.request, resource);
  }
  return used;
}

}  // namespace muster::e2e
