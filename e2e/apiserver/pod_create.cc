#include "e2e/apiserver/pod_create.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "e2e/apiserver/conditions.h"
#include "e2e/apiserver/quantities.h"

namespace muster::e2e {
namespace {

constexpr int kDefaultTolerationSeconds = 300;

// What is not written in a template, but only in the pod made of it.
void DefaultRequests(Json& container) {
  Json& resources = ObjectAt(container, "resources");
  const Json* limits = Find(resources, {"limits"});
  if (limits == nullptr || !limits->is_object()) return;
  const Json copy = *limits;
  Json& requests = ObjectAt(resources, "requests");
  for (const auto& [name, value] : copy.items()) SetDefault(requests, name, value);
}

void DefaultContainer(Json& container) {
  const std::string image = StringAt(container, {"image"});
  const std::size_t slash = image.rfind('/');
  const std::string tag = slash == std::string::npos ? image : image.substr(slash);
  const bool latest = tag.find(':') == std::string::npos || tag.ends_with(":latest");
  SetDefault(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
  SetDefault(container, "terminationMessagePath", "/dev/termination-log");
  SetDefault(container, "terminationMessagePolicy", "File");
  (void)ObjectAt(container, "resources");
  if (Find(container, {"ports"}) == nullptr) return;
  for (Json& port : ArrayAt(container, "ports")) {
    if (port.is_object()) SetDefault(port, "protocol", "TCP");
  }
}

struct ListOfContainers {
  const char* field = "";
  bool needed = false;
};

std::vector<FieldError> CheckContainers(const Json& spec, const std::string& prefix,
                                        const ListOfContainers& list) {
  const auto& [field, needed] = list;
  const std::string at = prefix + "." + field;
  const Json* containers = Find(spec, {field});
  if (containers == nullptr || !containers->is_array() || containers->empty()) {
    if (needed) return {RequiredValue(at)};
    return {};
  }
  std::vector<FieldError> errors;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < containers->size(); ++i) {
    const std::string path = at + "[" + std::to_string(i) + "]";
    const std::string& name = StringAt((*containers)[i], {"name"});
    if (name.empty()) errors.push_back(RequiredValue(path + ".name"));
    if (std::ranges::find(names, name) != names.end()) {
      errors.push_back({path + ".name", "FieldValueDuplicate", "Duplicate value: " + Dump(name)});
    }
    names.push_back(name);
    if (StringAt((*containers)[i], {"image"}).empty()) {
      errors.push_back(RequiredValue(path + ".image"));
    }
  }
  return errors;
}

void DefaultPod(Json& spec) {
  DefaultPodSpec(spec);
  SetDefault(spec, "enableServiceLinks", true);
  for (const char* field : {"containers", "initContainers"}) {
    if (Find(spec, {field}) == nullptr) continue;
    for (Json& container : ArrayAt(spec, field)) DefaultRequests(container);
  }
}

// The admission plugin DefaultTolerationSeconds.
void DefaultTolerations(Json& spec) {
  Json& tolerations = ArrayAt(spec, "tolerations");
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const bool there = std::ranges::any_of(tolerations, [&](const Json& one) {
      const std::string& named = StringAt(one, {"key"});
      const std::string& effect = StringAt(one, {"effect"});
      return (named == key || named.empty()) && (effect == "NoExecute" || effect.empty());
    });
    if (there) continue;
    tolerations.push_back({{"key", key},
                           {"operator", "Exists"},
                           {"effect", "NoExecute"},
                           {"tolerationSeconds", kDefaultTolerationSeconds}});
  }
}

VersionPtr GlobalDefaultClass(const Backend& backend) {
  const Kind& classes = backend.kinds.Get(Builtin::kPriorityClass);
  for (const auto& [name, version] : backend.store.All(classes.storage)) {
    if (BoolAt(version->object, {"globalDefault"})) return version;
  }
  return nullptr;
}

// The admission plugin Priority.
Refusal SetPriority(const Backend& backend, Json& pod) {
  const std::string& pod_name = StringAt(pod, {"metadata", "name"});
  Json& spec = pod["spec"];
  const std::string name = StringAt(spec, {"priorityClassName"});
  VersionPtr found;
  if (name.empty()) {
    found = GlobalDefaultClass(backend);
    if (found != nullptr) {
      spec["priorityClassName"] = StringAt(found->object, {"metadata", "name"});
    }
  } else {
    found = backend.Find(backend.kinds.Get(Builtin::kPriorityClass), "", name);
    if (found == nullptr) {
      return Forbidden("pods", pod_name, "no PriorityClass with name " + name + " was found");
    }
  }
  const std::int64_t value = found == nullptr ? 0 : IntAt(found->object, {"value"}).value_or(0);
  const auto given = IntAt(spec, {"priority"});
  if (given && *given != value) {
    return Forbidden("pods", pod_name,
                     "the integer value of priority (" + std::to_string(*given) +
                         ") must not be provided in pod spec; priority admission controller "
                         "computed " +
                         std::to_string(value) + " from the given PriorityClass name");
  }
  spec["priority"] = value;
  const std::string& policy =
      found == nullptr ? StringAt(spec, {}) : StringAt(found->object, {"preemptionPolicy"});
  SetDefault(spec, "preemptionPolicy", policy.empty() ? "PreemptLowerPriority" : policy);
  return std::nullopt;
}

void StartStatus(Json& pod, const std::string& now) {
  Json& status = ObjectAt(pod, "status");
  SetDefault(status, "phase", "Pending");
  status["qosClass"] = QosClass(pod);
  const Json* gates = Find(pod, {"spec", "schedulingGates"});
  if (gates != nullptr && !gates->empty()) {
    SetCondition(pod, "PodScheduled",
                 {{"status", "False"},
                  {"reason", "SchedulingGated"},
                  {"message", "Scheduling is blocked due to non-empty scheduling gates"},
                  {"lastProbeTime", nullptr}},
                 now);
  }
}

// What a container says of a resource: anything, and a request that is the limit.
struct Asked {
  bool any = false, exact = false;
};

Asked AskedOf(const Json& container, const char* resource) {
  const Json* limit = Find(container, {"resources", "limits", resource});
  const Json* request = Find(container, {"resources", "requests", resource});
  return {.any = limit != nullptr || request != nullptr,
          .exact = limit != nullptr && request != nullptr && *limit == *request};
}

}  // namespace

void DefaultPodSpec(Json& spec) {
  SetDefault(spec, "restartPolicy", "Always");
  SetDefault(spec, "terminationGracePeriodSeconds", 30);
  SetDefault(spec, "dnsPolicy", "ClusterFirst");
  SetDefault(spec, "schedulerName", "default-scheduler");
  SetDefault(spec, "securityContext", Json::object());
  for (const char* field : {"containers", "initContainers"}) {
    if (Find(spec, {field}) == nullptr) continue;
    for (Json& container : ArrayAt(spec, field)) DefaultContainer(container);
  }
}

std::vector<FieldError> CheckPodSpec(const Json& spec, const std::string& at) {
  std::vector<FieldError> errors =
      CheckContainers(spec, at, {.field = "containers", .needed = true});
  for (FieldError& error : CheckContainers(spec, at, {.field = "initContainers"})) {
    errors.push_back(std::move(error));
  }
  const Json* gates = Find(spec, {"schedulingGates"});
  if (gates != nullptr && !gates->empty() && !StringAt(spec, {"nodeName"}).empty()) {
    errors.push_back(ForbiddenField(at + ".nodeName",
                                    "cannot be set until all schedulingGates have been cleared"));
  }
  return errors;
}

// Guaranteed: every container limits cpu and memory and asks for just that. Quantities are compared
// as written.
std::string QosClass(const Json& pod) {
  bool guaranteed = true;
  bool any = false;
  for (const char* field : {"containers", "initContainers"}) {
    const Json* containers = Find(pod, {"spec", field});
    if (containers == nullptr) continue;
    for (const Json& container : *containers) {
      const Asked cpu = AskedOf(container, "cpu");
      const Asked memory = AskedOf(container, "memory");
      any = any || cpu.any || memory.any;
      guaranteed = guaranteed && cpu.exact && memory.exact;
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

Refusal AdmitNewPod(const Backend& backend, Json& pod, bool keep_status) {
  const Kind& kind = backend.kinds.Get(Builtin::kPod);
  const std::string name = StringAt(pod, {"metadata", "name"});
  Json& spec = ObjectAt(pod, "spec");
  if (const auto errors = CheckPodSpec(spec, "spec"); !errors.empty())
    return Invalid(kind, name, errors);
  if (Refusal refusal = TakePodQuantities(pod)) return refusal;
  DefaultPod(spec);
  DefaultTolerations(spec);
  if (Refusal refusal = SetPriority(backend, pod)) return refusal;
  if (!keep_status) pod.erase("status");
  StartStatus(pod, backend.Now());
  return std::nullopt;
}

}  // namespace muster::e2e
