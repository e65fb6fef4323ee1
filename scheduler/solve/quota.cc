#include "scheduler/solve/quota.h"

#include <algorithm>
#include <limits>
#include <map>

namespace muster::scheduler {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kPods = "pods";

std::int64_t Plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMost : sum;
}
std::int64_t Times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMost : product;
}

const Charge* FindCharge(std::span<const Charge> charges, const std::string& resource) {
  const auto it = std::lower_bound(
      charges.begin(), charges.end(), resource,
      [](const Charge& charge, const std::string& name) { return charge.resource < name; });
  return it != charges.end() && it->resource == resource ? &*it : nullptr;
}

// Resources that every pod has some of. A queue that rations devices does not ration these by
// leaving them out.
bool IsDevice(const std::string& resource) {
  return resource != "cpu" && resource != "memory" && resource != "ephemeral-storage" &&
         resource != kPods && resource.rfind("hugepages-", 0) != 0;
}

bool AnyQueueNames(const Cluster& cluster, const std::string& resource) {
  for (std::uint32_t i = 0; i < cluster.queue_rows(); ++i) {
    const QueueRow& queue = cluster.queue(QueueId{i});
    if (!queue.exists) continue;
    for (const auto& quota : queue.spec.resources) {
      if (quota.resource == resource) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Charge> ChargesOf(const Cluster& cluster, std::span<const Demand> demands) {
  std::map<std::string_view, std::int64_t> sums;
  for (const Demand& demand : demands) {
    for (const auto& [resource, amount] : cluster.shape(demand.shape).requests) {
      std::int64_t& sum = sums[resource];
      sum = Plus(sum, Times(amount, demand.count));
    }
    std::int64_t& pods = sums[kPods];
    pods = Plus(pods, demand.count);
  }
  std::vector<Charge> charges;
  charges.reserve(sums.size());
  for (const auto& [resource, amount] : sums) charges.push_back({std::string(resource), amount});
  return charges;
}

QuotaVerdict CheckQuota(const Cluster& cluster, QueueId queue, std::span<const Charge> charges) {
  QuotaVerdict verdict;
  const QueueRow& row = cluster.queue(queue);
  const auto usage = cluster.usage(queue);
  for (std::size_t i = 0; i < row.spec.resources.size(); ++i) {
    const QueueSeen::Quota& quota = row.spec.resources[i];
    const Charge* charge = FindCharge(charges, quota.resource);
    if (!quota.limited || charge == nullptr || charge->amount == 0) continue;
    const std::int64_t limit = Plus(quota.nominal, quota.borrowing_limit);
    const std::int64_t used = usage[row.quotas[i].value];
    if (Plus(used, charge->amount) <= limit) continue;
    verdict.never = verdict.never || charge->amount > limit;
    if (!verdict.refused) {
      verdict.refused =
          QuotaVerdict::Short{quota.resource, used, quota.nominal, limit, charge->amount};
    }
  }
  return verdict;
}

bool WouldBorrow(const Cluster& cluster, QueueId queue, std::span<const Charge> charges) {
  const QueueRow& row = cluster.queue(queue);
  const auto usage = cluster.usage(queue);
  return std::any_of(charges.begin(), charges.end(), [&](const Charge& charge) {
    if (charge.amount == 0) return false;
    for (std::size_t i = 0; i < row.spec.resources.size(); ++i) {
      const QueueSeen::Quota& quota = row.spec.resources[i];
      if (quota.resource != charge.resource) continue;
      return Plus(usage[row.quotas[i].value], charge.amount) > quota.nominal;
    }
    return IsDevice(charge.resource) && AnyQueueNames(cluster, charge.resource);
  });
}

std::int32_t QuotaSlots(const Cluster& cluster, QueueId queue, ShapeId shape, std::int32_t most) {
  const Demand one{shape, 1};
  const std::vector<Charge> charges = ChargesOf(cluster, {&one, 1});
  const QueueRow& row = cluster.queue(queue);
  const auto usage = cluster.usage(queue);
  std::int64_t slots = most;
  for (std::size_t i = 0; i < row.spec.resources.size(); ++i) {
    const QueueSeen::Quota& quota = row.spec.resources[i];
    const Charge* charge = FindCharge(charges, quota.resource);
    if (!quota.limited || charge == nullptr || charge->amount == 0) continue;
    const std::int64_t room =
        Plus(quota.nominal, quota.borrowing_limit) - usage[row.quotas[i].value];
    slots = std::min(slots, std::max<std::int64_t>(0, room) / charge->amount);
  }
  return static_cast<std::int32_t>(slots);
}

}  // namespace muster::scheduler
