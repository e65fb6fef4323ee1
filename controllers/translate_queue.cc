#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "controllers/selectors.h"
#include "controllers/translate.h"
#include "crds/label_selector.h"
#include "crds/quantity.h"

namespace muster::controllers {
namespace {

using scheduler::QueueSeen;

// The amount; into `out`, what is wrong with it (the first of the queue's) or that it counts as
// less.
std::int64_t QuotaOf(const std::string& text, const std::string& resource, const std::string& path,
                     QueueSeen& out) {
  const auto quota = crds::ParseQuota(text, UnitOf(resource));
  if (!quota.ok()) {
    if (out.misconfigured.empty()) out.misconfigured = path + ": " + quota.error().message;
    return 0;
  }
  if (quota.value().clipped) {
    out.clipped += (out.clipped.empty() ? "" : "; ") + path + ": " + text + " of " + resource +
                   " is more than " + FormatAmount(resource, quota.value().amount) +
                   " and counts as that";
  }
  return quota.value().amount;
}

}  // namespace

QueueSeen TranslateQueue(const crds::Queue& queue) {
  QueueSeen out;
  // A quota that cannot be read makes the queue Misconfigured; its name and the rest stay known, so
  // that what runs in it stays charged.
  out.name = queue.meta.name;
  out.uid = queue.meta.uid;
  for (std::size_t i = 0; i < queue.resources.size(); ++i) {
    const crds::QueueResource& from = queue.resources[i];
    const std::string path = "spec.resources[" + std::to_string(i) + "].";
    QueueSeen::Quota to;
    to.resource = from.name;
    to.nominal = QuotaOf(from.nominal_quota, from.name, path + "nominalQuota", out);
    to.limited = from.borrowing_limit.has_value();
    if (to.limited) {
      to.borrowing_limit = QuotaOf(*from.borrowing_limit, from.name, path + "borrowingLimit", out);
    }
    out.resources.push_back(std::move(to));
  }
  std::sort(out.resources.begin(), out.resources.end(),
            [](const auto& a, const auto& b) { return a.resource < b.resource; });
  out.has_selector = queue.namespace_selector.has_value();
  if (out.has_selector) {
    const Result<void> usable = crds::CheckLabelSelector(*queue.namespace_selector);
    if (!usable.ok() && out.misconfigured.empty()) {
      out.misconfigured = "spec.namespaceSelector." + usable.error().message;
    }
    for (const auto& [key, value] : queue.namespace_selector->match_labels) {
      out.namespace_selector.push_back({scheduler::Requirement::Op::kIn, key, {value}});
    }
    for (auto& requirement : ToRequirements(queue.namespace_selector->match_expressions)) {
      out.namespace_selector.push_back(std::move(requirement));
    }
  }
  out.stopped = queue.stop_policy == "Hold";
  return out;
}

}  // namespace muster::controllers
