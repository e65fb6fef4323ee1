#include "e2e/apiserver/job_admit.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "e2e/apiserver/pod_create.h"
#include "e2e/apiserver/workload_admit.h"

namespace muster::e2e {
namespace {

using Errors = std::vector<FieldError>;

constexpr std::int64_t kMaxIndexes = 100'000;
constexpr std::size_t kMaxLabelSize = 63;
constexpr const char* kUidLabel = "batch.kubernetes.io/controller-uid";

bool IsIndexed(const Json& job) {
  return StringAt(job, {"spec", "completionMode"}) == "Indexed";
}

void DefaultJob(Json& spec) {
  if (Find(spec, {"completions"}) == nullptr && Find(spec, {"parallelism"}) == nullptr) {
    spec["completions"] = 1;
  }
  SetDefault(spec, "parallelism", 1);
  SetDefault(spec, "backoffLimit", 6);
  SetDefault(spec, "completionMode", "NonIndexed");
  SetDefault(spec, "suspend", false);
  SetDefault(spec, "manualSelector", false);
  SetDefault(spec, "podReplacementPolicy", "TerminatingOrFailed");
}

// generateSelector of the Job's strategy: the pods are known by the Job's UID. What the user wrote
// himself stays, and is refused by the validation.
void GenerateSelector(Json& job) {
  const std::string& uid = StringAt(job, {"metadata", "uid"});
  const std::string& name = StringAt(job, {"metadata", "name"});
  Json& spec = job["spec"];
  Json& labels = ObjectAt(ObjectAt(spec["template"], "metadata"), "labels");
  for (const char* label : {"job-name", "batch.kubernetes.io/job-name"}) {
    SetDefault(labels, label, name);
  }
  for (const char* label : {"controller-uid", kUidLabel}) SetDefault(labels, label, uid);
  SetDefault(ObjectAt(ObjectAt(spec, "selector"), "matchLabels"), kUidLabel, uid);
}

// A Job without labels has those of its template.
void DefaultLabels(Json& job) {
  Json& labels = ObjectAt(job["metadata"], "labels");
  if (labels.empty()) labels = job["spec"]["template"]["metadata"]["labels"];
}

void CheckIndexed(const Json& job, Errors& errors) {
  const Json& spec = job.at("spec");
  if (Find(spec, {"completions"}) == nullptr) {
    errors.push_back(RequiredValue("spec.completions", "when completion mode is Indexed"));
    return;
  }
  for (const char* field : {"completions", "parallelism"}) {
    const std::int64_t value = IntAt(spec, {field}).value_or(0);
    if (value <= kMaxIndexes) continue;
    errors.push_back(InvalidValue(std::string("spec.") + field, value,
                                  "must be less than or equal to 100000 when completion mode is "
                                  "Indexed"));
  }
  // The host name of the last pod is a DNS label.
  const std::string& name = StringAt(job, {"metadata", "name"});
  const std::int64_t last = IntAt(spec, {"completions"}).value_or(0) - 1;
  const std::string host = name + "-" + std::to_string(std::max<std::int64_t>(last, 0));
  if (host.size() > kMaxLabelSize || host.find('.') != std::string::npos) {
    errors.push_back(InvalidValue("metadata.name", name,
                                  "will not able to create pod with invalid DNS label: " + host));
  }
}

void CheckGeneratedLabels(const Json& job, Errors& errors) {
  const std::string& uid = StringAt(job, {"metadata", "uid"});
  const std::string& name = StringAt(job, {"metadata", "name"});
  const std::array<std::pair<const char*, const std::string*>, 4> wanted = {
      {{"controller-uid", &uid},
       {kUidLabel, &uid},
       {"job-name", &name},
       {"batch.kubernetes.io/job-name", &name}}};
  const Json& labels = job.at("spec").at("template").at("metadata").at("labels");
  for (const auto& [label, value] : wanted) {
    if (StringAt(labels, {label}) == *value) continue;
    errors.push_back(
        InvalidValue("spec.template.metadata.labels", labels, "must be '" + *value + "'"));
  }
  const Json& selector = job.at("spec").at("selector");
  if (StringAt(selector, {"matchLabels", kUidLabel}) != uid) {
    errors.push_back(InvalidValue("spec.selector", selector, "`selector` not auto-generated"));
  }
  CheckSelects(selector, &labels, errors);
}

Errors CheckSpec(const Json& job) {
  const Json& spec = job.at("spec");
  Errors errors;
  for (const char* field : {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                            "ttlSecondsAfterFinished"}) {
    CheckNumber(spec, field, 0, errors);
  }
  const std::string& mode = StringAt(spec, {"completionMode"});
  if (mode != "Indexed" && mode != "NonIndexed") {
    errors.push_back(UnsupportedValue("spec.completionMode", mode, {"Indexed", "NonIndexed"}));
  }
  if (IsIndexed(job)) CheckIndexed(job, errors);
  const std::string restarts = CheckTemplate(spec, errors);
  if (restarts != "Never" && restarts != "OnFailure") {
    errors.push_back(
        RequiredValue("spec.template.spec.restartPolicy", R"(valid values: "OnFailure", "Never")"));
  }
  return errors;
}

void CheckImmutable(const Json& old, const Json& next, Errors& errors) {
  for (const char* field : {"selector", "template", "completionMode"}) {
    const Json* value = Find(next, {"spec", field});
    if (value != nullptr && *value == old.at("spec").at(field)) continue;
    errors.push_back(InvalidValue(std::string("spec.") + field,
                                  value == nullptr ? Json(nullptr) : *value, "field is immutable"));
  }
  const auto completions = IntAt(next, {"spec", "completions"});
  if (completions == IntAt(old, {"spec", "completions"})) return;
  // An elastic Job: both numbers change as one.
  const bool elastic = IsIndexed(next) && completions.has_value();
  if (!elastic) {
    errors.push_back(InvalidValue("spec.completions",
                                  completions ? Json(*completions) : Json(nullptr),
                                  "field is immutable"));
  } else if (completions != IntAt(next, {"spec", "parallelism"})) {
    errors.push_back(InvalidValue("spec.completions", *completions,
                                  "can only be modified in tandem with spec.parallelism"));
  }
}

}  // namespace

Refusal AdmitNewJob(const Kind& kind, Json& job) {
  if (Refusal refusal = TakeTemplate(job)) return refusal;
  DefaultJob(job["spec"]);
  GenerateSelector(job);
  Errors errors = CheckSpec(job);
  CheckGeneratedLabels(job, errors);
  if (!errors.empty()) return Invalid(kind, StringAt(job, {"metadata", "name"}), errors);
  DefaultPodSpec(job["spec"]["template"]["spec"]);
  DefaultLabels(job);
  (void)ObjectAt(job, "status");
  return std::nullopt;
}

Refusal AdmitJobChange(const Kind& kind, const Json& old, Json& next) {
  if (Refusal refusal = TakeTemplate(next)) return refusal;
  DefaultJob(next["spec"]);
  Errors errors = CheckSpec(next);
  CheckImmutable(old, next, errors);
  if (!errors.empty()) return Invalid(kind, StringAt(old, {"metadata", "name"}), errors);
  return std::nullopt;
}

}  // namespace muster::e2e
