#include "e2e/apiserver/replica_set_admit.h"

#include <string>
#include <vector>

#include "e2e/apiserver/label_selectors.h"
#include "e2e/apiserver/meta.h"
#include "e2e/apiserver/pod_create.h"
#include "e2e/apiserver/quantities.h"

namespace muster::e2e {
namespace {

using Errors = std::vector<FieldError>;

void CheckReplicas(const Json& spec, Errors& errors) {
  const Json& value = spec.at("replicas");
  if (!value.is_number_integer()) {
    errors.push_back(InvalidValue("spec.replicas", value, "must be an integer"));
  } else if (value.get<std::int64_t>() < 0) {
    errors.push_back(InvalidValue("spec.replicas", value, "must be greater than or equal to 0"));
  }
}

void CheckSelector(const Json& spec, Errors& errors) {
  const Json* selector = Find(spec, {"selector"});
  if (selector == nullptr) {
    errors.push_back(RequiredValue("spec.selector"));
    return;
  }
  if (IsEmptySelector(*selector)) {
    errors.push_back(
        InvalidValue("spec.selector", *selector, "empty selector is invalid for deployment"));
    return;
  }
  const Json* labels = Find(spec, {"template", "metadata", "labels"});
  if (SelectsLabels(*selector, labels)) return;
  errors.push_back(InvalidValue("spec.template.metadata.labels",
                                labels == nullptr ? Json::object() : *labels,
                                "`selector` does not match template `labels`"));
}

Errors CheckSpec(const Json& set) {
  const Json& spec = set.at("spec");
  Errors errors;
  CheckReplicas(spec, errors);
  CheckSelector(spec, errors);
  const Json* pod = Find(spec, {"template", "spec"});
  for (FieldError& error :
       CheckPodSpec(pod == nullptr ? Json::object() : *pod, "spec.template.spec")) {
    errors.push_back(std::move(error));
  }
  const std::string restarts = pod == nullptr ? "" : StringAt(*pod, {"restartPolicy"});
  if (!restarts.empty() && restarts != "Always") {
    errors.push_back(UnsupportedValue("spec.template.spec.restartPolicy", restarts, {"Always"}));
  }
  return errors;
}

Refusal Admit(const Kind& kind, const Json* old, Json& set) {
  const Json* given = Find(set, {"spec"});
  if (given != nullptr && !given->is_object()) return BadRequest("spec: expected an object");
  Json& spec = ObjectAt(set, "spec");
  SetDefault(spec, "replicas", 1);
  Json& pod = ObjectAt(spec, "template");
  if (Refusal refusal = CheckTexts(ObjectAt(pod, "metadata"))) return refusal;
  if (Refusal refusal = TakePodQuantities(pod)) return refusal;
  Errors errors = CheckSpec(set);
  if (old != nullptr && spec.value("selector", Json(nullptr)) != old->at("spec").at("selector")) {
    errors.push_back(
        InvalidValue("spec.selector", spec.value("selector", Json(nullptr)), "field is immutable"));
  }
  if (!errors.empty()) return Invalid(kind, StringAt(set, {"metadata", "name"}), errors);
  DefaultPodSpec(pod["spec"]);
  return std::nullopt;
}

}  // namespace

Refusal AdmitNewReplicaSet(const Kind& kind, Json& set) {
  if (Refusal refusal = Admit(kind, nullptr, set)) return refusal;
  SetDefault(ObjectAt(set, "status"), "replicas", 0);
  return std::nullopt;
}

Refusal AdmitReplicaSetChange(const Kind& kind, const Json& old, Json& next) {
  return Admit(kind, &old, next);
}

}  // namespace muster::e2e
