#include "e2e/apiserver/admit.h"

#include <array>
#include <string>
#include <vector>

#include "e2e/apiserver/crd.h"
#include "e2e/apiserver/job_admit.h"
#include "e2e/apiserver/pod_create.h"
#include "e2e/apiserver/pod_update.h"
#include "e2e/apiserver/quantities.h"
#include "e2e/apiserver/replica_set_admit.h"
#include "e2e/apiserver/workload_admit.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kHighestUserPriority = 1'000'000'000;

void DefaultNamespace(Json& object) {
  const std::string name = StringAt(object, {"metadata", "name"});
  ObjectAt(object["metadata"], "labels")["kubernetes.io/metadata.name"] = name;
  ObjectAt(object, "spec")["finalizers"] = Json::array({"kubernetes"});
  ObjectAt(object, "status")["phase"] = "Active";
}

Refusal AdmitNode(Json& node) {
  (void)ObjectAt(node, "spec");  // Written out even when it is empty.
  return TakeNodeQuantities(node);
}

Refusal AdmitPriorityClass(const Kind& kind, Json& object) {
  const std::string& name = StringAt(object, {"metadata", "name"});
  const auto value = IntAt(object, {"value"});
  if (Find(object, {"value"}) != nullptr && !value) {
    return BadRequest("value: expected an integer");
  }
  if (value.value_or(0) > kHighestUserPriority && !name.starts_with("system-")) {
    return Invalid(kind, name,
                   {ForbiddenField("value", "maximum allowed value of a user defined priority is " +
                                                std::to_string(kHighestUserPriority))});
  }
  SetDefault(object, "value", 0);
  SetDefault(object, "preemptionPolicy", "PreemptLowerPriority");
  return std::nullopt;
}

// What events.k8s.io/v1 asks for and core/v1 does not. `event` is in the stored form.
void CheckNewEvent(const Json& event, std::vector<FieldError>& errors) {
  constexpr std::array<std::array<const char*, 2>, 5> kNeeded = {
      {{"eventTime", "eventTime"},
       {"reportingComponent", "reportingController"},
       {"reportingInstance", "reportingInstance"},
       {"action", "action"},
       {"reason", "reason"}}};
  for (const auto& [stored, shown] : kNeeded) {
    if (StringAt(event, {stored}).empty()) errors.push_back(RequiredValue(shown));
  }
  const std::string& type = StringAt(event, {"type"});
  if (type != "Normal" && type != "Warning") {
    errors.push_back(InvalidValue("type", type, "has invalid value: " + type));
  }
  if (StringAt(event, {"message"}).size() > 1024) {
    errors.push_back({"message", "FieldValueInvalid", "can have at most 1024 characters"});
  }
}

// What a client writes times by other clocks, so the form is all that is looked at
// (pkg/apis/coordination/validation).
Refusal AdmitLease(const Kind& kind, const Json& lease) {
  const Json* spec = Find(lease, {"spec"});
  if (spec == nullptr) return std::nullopt;
  if (!spec->is_object()) return BadRequest("spec: expected an object");
  std::vector<FieldError> errors;
  CheckNumber(*spec, "leaseDurationSeconds", 1, errors);
  CheckNumber(*spec, "leaseTransitions", 0, errors);
  if (errors.empty()) return std::nullopt;
  return Invalid(kind, StringAt(lease, {"metadata", "name"}), errors);
}

Refusal AdmitBudget(const Kind& kind, const Json& budget) {
  const Json* spec = Find(budget, {"spec"});
  if (spec == nullptr) return std::nullopt;
  if (!spec->is_object()) return BadRequest("spec: expected an object");
  if (Find(*spec, {"minAvailable"}) == nullptr || Find(*spec, {"maxUnavailable"}) == nullptr) {
    return std::nullopt;
  }
  return Invalid(
      kind, StringAt(budget, {"metadata", "name"}),
      {InvalidValue("spec", *spec, "minAvailable and maxUnavailable cannot be both set")});
}

// The older API writes what an event of the newer one does not have.
void DefaultEvent(Json& event) {
  for (const char* time : {"firstTimestamp", "lastTimestamp", "eventTime"}) {
    SetDefault(event, time, nullptr);
  }
  (void)ObjectAt(event, "source");
}

Refusal AdmitEvent(const Kind& kind, Json& event) {
  const bool newer = !kind.group.empty();
  std::vector<FieldError> errors;
  const std::string& about_ns = StringAt(event, {"involvedObject", "namespace"});
  if (!about_ns.empty() && about_ns != StringAt(event, {"metadata", "namespace"})) {
    errors.push_back(InvalidValue(newer ? "regarding.namespace" : "involvedObject.namespace",
                                  about_ns, "does not match event.namespace"));
  }
  if (newer) CheckNewEvent(event, errors);
  DefaultEvent(event);
  if (errors.empty()) return std::nullopt;
  return Invalid(kind, StringAt(event, {"metadata", "name"}), errors);
}

}  // namespace

Refusal AdmitNew(const Backend& backend, const Kind& kind, Json& object, Admission& admission) {
  // A node may be created with its status (registry/core/node, PrepareForCreate).
  const bool keep_status = admission.keep_status || kind.builtin == Builtin::kNode;
  if (kind.has_status && !keep_status) object.erase("status");
  switch (kind.builtin) {
    case Builtin::kPod:
      return AdmitNewPod(backend, object, admission.keep_status);
    case Builtin::kNamespace:
      DefaultNamespace(object);
      return std::nullopt;
    case Builtin::kPriorityClass:
      return AdmitPriorityClass(kind, object);
    case Builtin::kEvent:
      return AdmitEvent(kind, object);
    case Builtin::kCustom:
      return AdmitCustom(kind, object, {.fields = admission.options.fields}, admission.warnings);
    case Builtin::kNode:
      return AdmitNode(object);
    case Builtin::kJob:
      return AdmitNewJob(kind, object);
    case Builtin::kReplicaSet:
      return AdmitNewReplicaSet(kind, object);
    case Builtin::kPodDisruptionBudget:
      return AdmitBudget(kind, object);
    case Builtin::kLease:
      return AdmitLease(kind, object);
    case Builtin::kCrd:
      break;
  }
  return std::nullopt;
}

Refusal AdmitChange(const Kind& kind, const Json& old, Json& next, const UpdateRules& rules,
                    Admission& admission) {
  const std::string& name = StringAt(old, {"metadata", "name"});
  if (kind.custom()) {
    return AdmitCustom(kind, next, {.old = &old, .fields = admission.options.fields},
                       admission.warnings);
  }
  if (kind.builtin == Builtin::kNode) return AdmitNode(next);
  if (kind.builtin == Builtin::kPod) return AdmitPodChange(kind, old, next, rules);
  if (!rules.subresource.empty()) return std::nullopt;
  if (kind.builtin == Builtin::kJob) return AdmitJobChange(kind, old, next);
  if (kind.builtin == Builtin::kReplicaSet) return AdmitReplicaSetChange(kind, old, next);
  if (kind.builtin == Builtin::kLease) return AdmitLease(kind, next);
  if (kind.builtin == Builtin::kPodDisruptionBudget) return AdmitBudget(kind, next);
  if (kind.builtin == Builtin::kPriorityClass && old.at("value") != next["value"]) {
    return Invalid(kind, name, {ForbiddenField("value", "may not be changed in an update.")});
  }
  return std::nullopt;
}

}  // namespace muster::e2e
