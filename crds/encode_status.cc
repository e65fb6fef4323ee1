#include "crds/encode.h"
#include "crds/encode_json.h"
#include "crds/time.h"

namespace muster::crds {
namespace {

void SetTime(Json& object, const char* key, const std::optional<std::int64_t>& ms) {
  if (ms.has_value()) object[key] = FormatTime(*ms);
}

// metav1.Condition: all but observedGeneration must be there, empty or not.
Json ToJson(const std::vector<Condition>& conditions) {
  Json list = Json::array();
  for (const Condition& condition : conditions) {
    Json item = {{"type", condition.type},
                 {"status", condition.status},
                 {"reason", condition.reason},
                 {"message", condition.message},
                 {"lastTransitionTime", FormatTime(condition.last_transition_ms)}};
    if (condition.observed_generation != 0) {
      item["observedGeneration"] = condition.observed_generation;
    }
    list.push_back(std::move(item));
  }
  return list;
}

Json ToJson(const PodGroupAdmission& admission) {
  Json out = {{"queue", admission.queue}, {"time", FormatTime(admission.time_ms)}};
  for (const PodGroupAdmission::Charge& charge : admission.charges) {
    out["charges"].push_back({{"resource", charge.resource}, {"amount", charge.amount}});
  }
  return out;
}

// The test makes a patch that comes late, for an object of the same name that was made anew, fail.
// A merge patch would not do: on a custom resource's status it ignores another metadata.uid.
std::string ReplaceStatus(const std::string& uid, Json status) {
  Json patch = Json::array();
  patch.push_back({{"op", "test"}, {"path", "/metadata/uid"}, {"value", uid}});
  patch.push_back({{"op", "add"}, {"path", "/status"}, {"value", std::move(status)}});
  return patch.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

// Numbers are written when they are 0 too: columns and `kubectl wait` read them.
std::string EncodePodGroupStatus(const std::string& uid, const PodGroupStatus& status) {
  Json out = Json::object();
  if (status.observed_generation != 0) out["observedGeneration"] = status.observed_generation;
  SetIfNotEmpty(out, "phase", status.phase);
  SetIfNotEmpty(out, "reason", status.reason);
  SetIfNotEmpty(out, "message", status.message);
  if (!status.conditions.empty()) out["conditions"] = ToJson(status.conditions);
  SetIfNotEmpty(out, "queue", status.queue);
  out["priority"] = status.priority;
  if (status.admission.has_value()) out["admission"] = ToJson(*status.admission);
  out["members"] = {{"total", status.members.total},
                    {"bound", status.members.bound},
                    {"running", status.members.running},
                    {"succeeded", status.members.succeeded},
                    {"failed", status.members.failed}};
  SetIfNotEmpty(out, "summary", status.summary);
  SetTime(out, "startTime", status.start_ms);
  SetTime(out, "completionTime", status.completion_ms);
  out["attempts"] = status.attempts;
  return ReplaceStatus(uid, std::move(out));
}

std::string EncodeQueueStatus(const std::string& uid, const QueueStatus& status) {
  Json out = Json::object();
  if (status.observed_generation != 0) out["observedGeneration"] = status.observed_generation;
  if (!status.conditions.empty()) out["conditions"] = ToJson(status.conditions);
  out["pendingGangs"] = status.pending_gangs;
  out["admittedGangs"] = status.admitted_gangs;
  for (const QueueResourceStatus& resource : status.resources) {
    out["resources"].push_back(
        {{"name", resource.name}, {"nominal", resource.nominal}, {"used", resource.used}});
  }
  SetIfNotEmpty(out, "usageSummary", status.usage_summary);
  SetTime(out, "lastUpdateTime", status.last_update_ms);
  return ReplaceStatus(uid, std::move(out));
}

}  // namespace muster::crds
