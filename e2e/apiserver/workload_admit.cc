#include "e2e/apiserver/workload_admit.h"

#include <utility>

#include "e2e/apiserver/label_selectors.h"
#include "e2e/apiserver/meta.h"
#include "e2e/apiserver/pod_create.h"
#include "e2e/apiserver/quantities.h"

namespace muster::e2e {

void CheckNumber(const Json& spec, const char* field, std::int64_t least,
                 std::vector<FieldError>& errors) {
  const Json* value = Find(spec, {field});
  if (value == nullptr) return;
  const std::string at = std::string("spec.") + field;
  if (!value->is_number_integer()) {
    errors.push_back(InvalidValue(at, *value, "must be an integer"));
  } else if (value->get<std::int64_t>() < least) {
    errors.push_back(InvalidValue(
        at, *value, least == 0 ? "must be greater than or equal to 0" : "must be greater than 0"));
  }
}

Refusal TakeTemplate(Json& workload) {
  const Json* spec = Find(workload, {"spec"});
  if (spec != nullptr && !spec->is_object()) return BadRequest("spec: expected an object");
  Json& pod = ObjectAt(ObjectAt(workload, "spec"), "template");
  if (Refusal refusal = CheckTexts(ObjectAt(pod, "metadata"))) return refusal;
  return TakePodQuantities(pod);
}

std::string CheckTemplate(const Json& spec, std::vector<FieldError>& errors) {
  const Json* pod = Find(spec, {"template", "spec"});
  for (FieldError& error :
       CheckPodSpec(pod == nullptr ? Json::object() : *pod, "spec.template.spec")) {
    errors.push_back(std::move(error));
  }
  return pod == nullptr ? "" : StringAt(*pod, {"restartPolicy"});
}

void CheckSelects(const Json& selector, const Json* template_labels,
                  std::vector<FieldError>& errors) {
  if (SelectsLabels(selector, template_labels)) return;
  errors.push_back(InvalidValue("spec.template.metadata.labels",
                                template_labels == nullptr ? Json::object() : *template_labels,
                                "`selector` does not match template `labels`"));
}

}  // namespace muster::e2e
