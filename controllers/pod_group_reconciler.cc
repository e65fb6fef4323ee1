#include "controllers/pod_group_reconciler.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "controllers/conditions.h"
#include "controllers/text.h"
#include "crds/time.h"
#include "scheduler/base/units.h"

namespace muster::controllers {
namespace {

using scheduler::GangStatus;
using scheduler::Phase;

// Neither is final: a new live member leads back.
bool IsFinished(Phase phase) {
  return phase == Phase::kSucceeded || phase == Phase::kFailed;
}

// "quota reserved in queue research: 4500m cpu, 32 nvidia.com/gpu"
std::string ChargeText(const GangStatus& gang) {
  std::string text = "quota reserved in queue " + gang.queue;
  const char* separator = ": ";
  for (const scheduler::Charge& charge : gang.charges) {
    text += separator + FormatAmount(charge.resource, charge.amount) + " " + charge.resource;
    separator = ", ";
  }
  return text;
}

// Both exist from the first attempt on. `text` is the one text for "why not".
crds::Condition Admitted(const GangStatus& gang, const std::string& text) {
  crds::Condition out;
  out.type = "Admitted";
  out.status = gang.admitted ? "True" : "False";
  out.reason = gang.admitted ? "QuotaReserved" : gang.admitted_reason;
  out.message = gang.admitted ? CutText(ChargeText(gang)) : text;
  if (out.reason.empty()) out.reason = PhaseName(gang.phase);  // It ended: nothing refuses it.
  return out;
}

crds::Condition Scheduled(const GangStatus& gang, const std::string& text) {
  crds::Condition out;
  out.type = "Scheduled";
  out.status = gang.scheduled ? "True" : "False";
  out.reason = gang.scheduled ? "Bound" : gang.scheduled_reason;
  out.message = text;
  if (out.reason.empty()) out.reason = PhaseName(gang.phase);  // Its Bindings are under way.
  return out;
}

// For "kubectl wait": it exists only while the gang has ended.
crds::Condition Finished(const GangStatus& gang, const std::string& text) {
  crds::Condition out;
  out.type = "Finished";
  out.status = "True";
  out.reason = PhaseName(gang.phase);
  out.message = text;
  return out;
}

std::vector<crds::Condition> Conditions(const GangStatus& gang, const crds::PodGroup& group,
                                        const crds::PodGroupStatus& stored, Wall now) {
  const std::string text = CutText(gang.message);
  std::vector<crds::Condition> out;
  out.push_back(Admitted(gang, text));
  if (IsFinished(gang.phase)) out.push_back(Finished(gang, text));
  out.push_back(Scheduled(gang, text));
  for (crds::Condition& condition : out) {
    condition.observed_generation = group.meta.generation;
    condition = Timed(std::move(condition), stored.conditions, now);
  }
  return out;
}

// A leader that starts anew keeps the time of the admission that it finds.
crds::PodGroupAdmission Admission(const GangStatus& gang, const crds::PodGroupStatus& stored) {
  crds::PodGroupAdmission out;
  out.queue = gang.queue;
  out.time_ms = stored.admission.has_value() && stored.admission->queue == gang.queue
                    ? stored.admission->time_ms
                    : crds::WholeSeconds(gang.admitted_at.ms);
  for (const scheduler::Charge& charge : gang.charges) {
    out.charges.push_back({charge.resource, charge.amount});
  }
  return out;
}

// "6/8": bound or succeeded, of the larger of the minimum and the pods that exist. Members made
// anew may meet a stored count of former ones, so it is capped.
std::string Summary(const GangStatus& gang, std::int32_t succeeded) {
  const std::int32_t all = std::max(gang.min_member, gang.total);
  return std::to_string(std::min(gang.bound + succeeded, all)) + "/" + std::to_string(all);
}

// The start is that of the latest run. It stays while a member of the run is bound, whatever the
// gang has lost, so that a later leader knows what it finds (translate.cc); and while the gang has
// ended.
void SetTimes(const GangStatus& gang, const crds::PodGroupStatus& stored, Wall now,
              crds::PodGroupStatus& out) {
  const bool waits = gang.phase == Phase::kPending || gang.phase == Phase::kQueued;
  const bool goes_on = !stored.completion_ms.has_value() && (!waits || gang.bound > 0);
  if (IsFinished(gang.phase) || goes_on) out.start_ms = stored.start_ms;
  if (gang.scheduled && !out.start_ms.has_value()) out.start_ms = crds::WholeSeconds(now.ms);
  if (IsFinished(gang.phase)) {
    out.completion_ms = stored.completion_ms.value_or(crds::WholeSeconds(now.ms));
  }
}

}  // namespace

std::optional<crds::PodGroupStatus> ReconcilePodGroup(const GangStatus& gang,
                                                      const crds::PodGroup& group, Wall now) {
  if (!gang.attempted || gang.uid != group.meta.uid || StaysFinished(gang, group)) {
    return std::nullopt;
  }
  const crds::PodGroupStatus stored = group.status.value_or(crds::PodGroupStatus{});
  crds::PodGroupStatus out;
  out.phase = PhaseName(gang.phase);
  out.reason = gang.reason;
  out.message = CutText(gang.message);
  out.queue = gang.queue;
  out.priority = gang.priority;
  // The core counts from its own start; what is shown never falls.
  out.attempts = std::max(stored.attempts, gang.attempts);
  if (gang.admitted) out.admission = Admission(gang, stored);
  // Pods that were cleaned up count as what they were.
  const std::int32_t succeeded = std::max(stored.members.succeeded, gang.succeeded);
  out.members = {gang.total, gang.bound, gang.running, succeeded, gang.failed};
  out.summary = Summary(gang, succeeded);
  SetTimes(gang, stored, now, out);
  out.conditions = Conditions(gang, group, stored, now);
  out.observed_generation = group.meta.generation;
  if (group.status.has_value() && *group.status == out) return std::nullopt;
  return out;
}

bool StaysFinished(const GangStatus& gang, const crds::PodGroup& group) {
  if (!group.status.has_value() || IsFinished(gang.phase) || gang.total != 0) return false;
  return group.status->phase == "Succeeded" || group.status->phase == "Failed";
}

bool DifferInNumbersAlone(const crds::PodGroupStatus& a, const crds::PodGroupStatus& b) {
  const auto same = [](const crds::Condition& x, const crds::Condition& y) {
    return x.type == y.type && x.status == y.status && x.reason == y.reason;
  };
  return a.phase == b.phase && a.reason == b.reason &&
         a.admission.has_value() == b.admission.has_value() &&
         std::equal(a.conditions.begin(), a.conditions.end(), b.conditions.begin(),
                    b.conditions.end(), same);
}

}  // namespace muster::controllers
