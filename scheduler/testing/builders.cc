#include "scheduler/testing/builders.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "scheduler/base/check.h"
#include "scheduler/base/units.h"

namespace muster::scheduler::testing {

std::int64_t ParseAmount(std::string_view resource, std::string_view quantity) {
  std::int64_t value = 0;
  const char* end = quantity.data() + quantity.size();
  const auto [rest, error] = std::from_chars(quantity.data(), end, value);
  MUSTER_CHECK(error == std::errc{});
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  const std::int64_t scale = UnitOf(resource) == Unit::kMilli ? 1000 : 1;
  if (suffix.empty()) return value * scale;
  if (suffix == "m") return value * scale / 1000;
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> kBinary{
      {{"Ki", 1LL << 10}, {"Mi", 1LL << 20}, {"Gi", 1LL << 30}}};
  for (const auto& [name, factor] : kBinary) {
    if (suffix == name) return value * factor * scale;
  }
  MUSTER_CHECK(suffix.empty());
  return 0;
}

Amounts MakeAmounts(const std::vector<Amount>& amounts) {
  Amounts out;
  for (const Amount& amount : amounts) {
    out.emplace_back(amount.resource, ParseAmount(amount.resource, amount.quantity));
  }
  std::sort(out.begin(), out.end());
  return out;
}

NodeSeen MakeNode(std::string name, const std::vector<Amount>& amounts) {
  NodeSeen node;
  node.uid = "uid-" + name;
  node.name = std::move(name);
  node.allocatable = MakeAmounts(amounts);
  const bool has_pods = std::any_of(amounts.begin(), amounts.end(),
                                    [](const Amount& a) { return a.resource == "pods"; });
  if (!has_pods) {
    node.allocatable.emplace_back("pods", 110);
    std::sort(node.allocatable.begin(), node.allocatable.end());
  }
  node.ready = true;
  return node;
}

QueueSeen MakeQueue(std::string name, const std::vector<Amount>& quotas) {
  QueueSeen queue;
  queue.uid = "uid-" + name;
  queue.name = std::move(name);
  queue.has_selector = true;
  for (const auto& [resource, amount] : MakeAmounts(quotas)) {
    QueueSeen::Quota quota;
    quota.resource = resource;
    quota.nominal = amount;
    queue.resources.push_back(std::move(quota));
  }
  return queue;
}

GangSeen MakeGang(std::string name, std::string queue, std::int32_t min_member) {
  GangSeen gang;
  gang.uid = "uid-group-" + name;
  gang.key = GroupKey(std::move(name));
  gang.queue = std::move(queue);
  gang.queue_named = true;
  gang.min_member = min_member;
  return gang;
}

PodSeen MakeMember(const std::string& gang, std::int32_t index,
                   const std::vector<Amount>& requests) {
  PodSeen pod = MakeSingle(gang + "-" + std::to_string(index), "", requests);
  pod.gang = GroupKey(gang);
  pod.rank = index;
  return pod;
}

PodSeen MakeSingle(const std::string& name, const std::string& queue,
                   const std::vector<Amount>& requests) {
  PodSeen pod;
  pod.uid = "uid-" + name;
  pod.key = {.ns = "default", .name = name};
  pod.gang = {.ns = "default", .name = name, .single_pod = true};
  pod.shape.requests = MakeAmounts(requests);
  pod.state = PodState::kPending;
  pod.ours = true;
  pod.queue = queue;
  return pod;
}

PodSeen MakeForeign(const std::string& name, const std::string& node,
                    const std::vector<Amount>& requests) {
  PodSeen pod = MakeSingle(name, "", requests);
  pod.gang = {};
  pod.ours = false;
  pod.state = PodState::kBound;
  pod.running = true;
  pod.node = node;
  return pod;
}

PodSeen BoundTo(PodSeen pod, const std::string& node, const std::string& queue,
                const Uid& group_uid) {
  pod.state = PodState::kBound;
  pod.running = true;
  pod.node = node;
  pod.admitted_queue = queue;
  pod.admitted_group_uid = group_uid;
  return pod;
}

Key GroupKey(std::string name) {
  return {.ns = "default", .name = std::move(name)};
}

}  // namespace muster::scheduler::testing
