#include "e2e/apiserver/pod_update.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "e2e/apiserver/quantities.h"

namespace muster::e2e {
namespace {

using Errors = std::vector<FieldError>;

constexpr std::string_view kOnlyThese =
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions "
    "to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it "
    "was previously negative)";

const Json& Items(const Json& spec, const char* field) {
  static const Json none = Json::array();
  const Json* found = Find(spec, {field});
  return found != nullptr && found->is_array() ? *found : none;
}

void CheckGates(const Json& old, const Json& next, Errors& errors) {
  const Json& before = Items(old, "schedulingGates");
  for (const Json& gate : Items(next, "schedulingGates")) {
    if (std::ranges::find(before, gate) != before.end()) continue;
    errors.push_back(ForbiddenField("spec.schedulingGates",
                                    "only deletion is allowed, but found new scheduling gate '" +
                                        StringAt(gate, {"name"}) + "'"));
  }
}

// Every old toleration stays; its tolerationSeconds may change.
void CheckTolerations(const Json& old, const Json& next, Errors& errors) {
  const auto without_seconds = [](Json toleration) {
    if (toleration.is_object()) toleration.erase("tolerationSeconds");
    return toleration;
  };
  const Json& after = Items(next, "tolerations");
  for (const Json& toleration : Items(old, "tolerations")) {
    const Json wanted = without_seconds(toleration);
    const bool kept =
        std::ranges::any_of(after, [&](const Json& one) { return without_seconds(one) == wanted; });
    if (kept) continue;
    errors.push_back(
        ForbiddenField("spec.tolerations",
                       "existing toleration can not be modified except its tolerationSeconds"));
    return;
  }
}

void CheckNodeSelector(const Json& old, const Json& next, Errors& errors) {
  const Json* before = Find(old, {"nodeSelector"});
  const Json* after = Find(next, {"nodeSelector"});
  if (before == nullptr) return;
  for (const auto& [key, value] : before->items()) {
    const Json* now = after == nullptr ? nullptr : Find(*after, {key});
    if (now != nullptr && *now == value) continue;
    errors.push_back(InvalidValue(
        "spec.nodeSelector", after == nullptr ? Json::object() : *after,
        "only additions to spec.nodeSelector are allowed (no mutations or deletions)"));
    return;
  }
}

bool Narrowed(const Json& before, const Json& after) {
  return std::ranges::all_of(before, [&](const Json& requirement) {
    return std::ranges::find(after, requirement) != after.end();
  });
}

// The terms stay; each may only gain requirements.
void CheckNodeAffinity(const Json& old, const Json& next, Errors& errors) {
  const Path path = {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
                     "nodeSelectorTerms"};
  const std::string field =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
      "nodeSelectorTerms";
  const Json* before = Find(old, path);
  const Json* after = Find(next, path);
  if (before == nullptr || !before->is_array() || before->empty()) return;
  if (after == nullptr || !after->is_array() || after->size() != before->size()) {
    errors.push_back(
        InvalidValue(field, after == nullptr ? Json::array() : *after,
                     "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
    return;
  }
  for (std::size_t i = 0; i < before->size(); ++i) {
    const bool narrowed =
        Narrowed(Items((*before)[i], "matchExpressions"), Items((*after)[i], "matchExpressions")) &&
        Narrowed(Items((*before)[i], "matchFields"), Items((*after)[i], "matchFields"));
    if (narrowed) continue;
    errors.push_back(InvalidValue(field + "[" + std::to_string(i) + "]", (*after)[i],
                                  "only additions are allowed (no mutations or deletions)"));
  }
}

void Restore(const Json& old, Json& next, const char* field) {
  if (!next.is_object()) return;
  if (const auto found = old.find(field); found != old.end()) {
    next[field] = *found;
  } else {
    next.erase(field);
  }
}

void RestoreImages(const Json& old, Json& next, const char* field) {
  const Json& before = Items(old, field);
  if (Items(next, field).size() != before.size()) return;
  for (std::size_t i = 0; i < before.size(); ++i) Restore(before[i], next[field][i], "image");
}

void RestoreNodeAffinity(const Json& old, Json& next) {
  const Json* before = Find(old, {"affinity", "nodeAffinity"});
  if (before != nullptr) {
    ObjectAt(next, "affinity")["nodeAffinity"] = *before;
    return;
  }
  const Json* affinity = Find(next, {"affinity"});
  if (affinity == nullptr || !affinity->is_object()) return;
  next["affinity"].erase("nodeAffinity");
  if (next["affinity"].empty()) next.erase("affinity");
}

// The new spec with everything put back that was allowed to change: what still differs was not.
Json Munged(const Json& old, Json next, bool gated) {
  for (const char* field : {"containers", "initContainers"}) RestoreImages(old, next, field);
  const auto deadline = IntAt(next, {"activeDeadlineSeconds"});
  const auto old_deadline = IntAt(old, {"activeDeadlineSeconds"});
  if (deadline && (!old_deadline || *deadline <= *old_deadline)) {
    Restore(old, next, "activeDeadlineSeconds");
  }
  if (IntAt(old, {"terminationGracePeriodSeconds"}).value_or(0) < 0 &&
      IntAt(next, {"terminationGracePeriodSeconds"}) == 1) {
    Restore(old, next, "terminationGracePeriodSeconds");
  }
  Restore(old, next, "tolerations");
  Restore(old, next, "schedulingGates");
  if (gated) {
    Restore(old, next, "nodeSelector");
    RestoreNodeAffinity(old, next);
  }
  return next;
}

Errors CheckSpec(const Json& old, const Json& next) {
  Errors errors;
  CheckGates(old, next, errors);
  CheckTolerations(old, next, errors);
  const bool gated = !Items(old, "schedulingGates").empty();
  if (gated) {
    CheckNodeSelector(old, next, errors);
    CheckNodeAffinity(old, next, errors);
  }
  if (Munged(old, next, gated) != old) {
    errors.push_back(ForbiddenField("spec", std::string(kOnlyThese)));
  }
  return errors;
}

Errors CheckStatus(const Json& old, const Json& next) {
  Errors errors;
  const std::string& qos = StringAt(next, {"status", "qosClass"});
  if (qos != StringAt(old, {"status", "qosClass"})) {
    errors.push_back(InvalidValue("status.qosClass", qos, "field is immutable"));
  }
  const std::string& nominated = StringAt(next, {"status", "nominatedNodeName"});
  const bool changed = nominated != StringAt(old, {"status", "nominatedNodeName"});
  if (changed && !nominated.empty() && !StringAt(next, {"spec", "nodeName"}).empty()) {
    errors.push_back(ForbiddenField("status.nominatedNodeName",
                                    "may not be set on a pod that is bound to a node"));
  }
  return errors;
}

}  // namespace

Refusal AdmitPodChange(const Kind& kind, const Json& old, Json& next, const UpdateRules& rules) {
  const std::string& name = StringAt(old, {"metadata", "name"});
  if (!rules.subresource.empty()) {
    Json& status = ObjectAt(next, "status");
    SetDefault(status, "qosClass", StringAt(old, {"status", "qosClass"}));
    const Errors errors = CheckStatus(old, next);
    if (!errors.empty()) return Invalid(kind, name, errors);
    return std::nullopt;
  }
  if (Refusal refusal = TakePodQuantities(next)) return refusal;
  const Json* spec = Find(next, {"spec"});
  if (spec == nullptr || !spec->is_object()) return BadRequest("spec: expected an object");
  if (*spec == old["spec"]) return std::nullopt;
  const Errors errors = CheckSpec(old["spec"], *spec);
  if (errors.empty()) return std::nullopt;
  return Invalid(kind, name, errors);
}

}  // namespace muster::e2e
