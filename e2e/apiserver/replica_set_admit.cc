#include "e2e/apiserver/replica_set_admit.h"

#include <string>
#include <vector>

#include "e2e/apiserver/label_selectors.h"
#include "e2e/apiserver/pod_create.h"
#include "e2e/apiserver/workload_admit.h"

namespace muster::e2e {
namespace {

using Errors = std::vector<FieldError>;

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
  CheckSelects(*selector, Find(spec, {"template", "metadata", "labels"}), errors);
}

Errors CheckSpec(const Json& set) {
  const Json& spec = set.at("spec");
  Errors errors;
  CheckNumber(spec, "replicas", 0, errors);
  CheckSelector(spec, errors);
  const std::string restarts = CheckTemplate(spec, errors);
  if (!restarts.empty() && restarts != "Always") {
    errors.push_back(UnsupportedValue("spec.template.spec.restartPolicy", restarts, {"Always"}));
  }
  return errors;
}

Refusal Admit(const Kind& kind, const Json* old, Json& set) {
  if (Refusal refusal = TakeTemplate(set)) return refusal;
  Json& spec = set["spec"];
  SetDefault(spec, "replicas", 1);
  Errors errors = CheckSpec(set);
  if (old != nullptr && spec.value("selector", Json(nullptr)) != old->at("spec").at("selector")) {
    errors.push_back(
        InvalidValue("spec.selector", spec.value("selector", Json(nullptr)), "field is immutable"));
  }
  if (!errors.empty()) return Invalid(kind, StringAt(set, {"metadata", "name"}), errors);
  DefaultPodSpec(spec["template"]["spec"]);
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
