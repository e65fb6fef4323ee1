#include "controllers/queue_reconciler.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "controllers/conditions.h"
#include "controllers/text.h"
#include "crds/time.h"
#include "scheduler/base/units.h"

namespace muster::controllers {
namespace {

bool IsDevice(std::string_view resource) {
  return resource != "cpu" && UnitOf(resource) == Unit::kMilli;
}

// A printer column is one text: the first device of the spec, since that is what teams share, else
// the first resource at all.
std::string UsageSummary(const crds::Queue& object, const crds::QueueStatus& status) {
  const auto named = [&object](bool device_only) -> const std::string* {
    for (const crds::QueueResource& resource : object.resources) {
      if (!device_only || IsDevice(resource.name)) return &resource.name;
    }
    return nullptr;
  };
  const std::string* name = named(true);
  if (name == nullptr) name = named(false);
  if (name == nullptr) return "";
  const auto it = std::find_if(status.resources.begin(), status.resources.end(),
                               [name](const auto& use) { return use.name == *name; });
  if (it == status.resources.end()) return "";
  constexpr std::size_t kMost = 256;  // As queues.yaml has it; a name may be longer.
  return CutTextTo(it->used + "/" + it->nominal + " " + it->name, kMost);
}

}  // namespace

std::optional<crds::QueueStatus> ReconcileQueue(const scheduler::QueueStatus& queue,
                                                const crds::Queue& object, Wall now) {
  const crds::QueueStatus stored = object.status.value_or(crds::QueueStatus{});
  crds::QueueStatus out;
  crds::Condition active;
  active.type = "Active";
  active.status = queue.active ? "True" : "False";
  active.reason = queue.active_reason;
  active.message = CutText(queue.active_message);
  active.observed_generation = object.meta.generation;
  out.conditions.push_back(Timed(std::move(active), stored.conditions, now));
  out.pending_gangs = queue.pending_gangs;
  out.admitted_gangs = queue.admitted_gangs;
  for (const scheduler::QueueStatus::Use& use : queue.resources) {
    out.resources.push_back({use.resource, FormatAmount(use.resource, use.nominal),
                             FormatAmount(use.resource, use.used)});
  }
  out.usage_summary = UsageSummary(object, out);
  out.observed_generation = object.meta.generation;
  // The time says when the numbers were taken, so it is no difference by itself.
  out.last_update_ms = stored.last_update_ms;
  if (object.status.has_value() && *object.status == out) return std::nullopt;
  out.last_update_ms = crds::WholeSeconds(now.ms);
  return out;
}

}  // namespace muster::controllers
