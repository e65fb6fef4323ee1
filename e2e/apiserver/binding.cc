#include "e2e/apiserver/binding.h"

#include <utility>

#include "e2e/apiserver/conditions.h"
#include "e2e/apiserver/meta.h"

namespace muster::e2e {
namespace {

// A malformed target is a bare list of field errors, which a real server turns into a 500.
Refusal CheckTarget(const Json& binding) {
  std::vector<std::string> texts;
  const std::string& kind = StringAt(binding, {"target", "kind"});
  if (!kind.empty() && kind != "Node") {
    texts.push_back(UnsupportedValue("target.kind", kind, {"Node", "<empty>"}).text());
  }
  if (StringAt(binding, {"target", "name"}).empty()) {
    texts.push_back(RequiredValue("target.name").text());
  }
  if (texts.empty()) return std::nullopt;
  return Plain(500, "", texts.size() == 1 ? texts[0] : "[" + texts[0] + ", " + texts[1] + "]");
}

Refusal CheckPreconditions(const Kind& kind, const Json& binding, const Json& pod) {
  const std::string& uid = StringAt(binding, {"metadata", "uid"});
  const std::string& pod_uid = StringAt(pod, {"metadata", "uid"});
  if (!uid.empty() && uid != pod_uid) {
    return PreconditionFailed(kind, pod,
                              "UID in precondition: " + uid + ", UID in object meta: " + pod_uid);
  }
  const std::string& version = StringAt(binding, {"metadata", "resourceVersion"});
  const std::string& pod_version = StringAt(pod, {"metadata", "resourceVersion"});
  if (version.empty() || version == pod_version) return std::nullopt;
  return PreconditionFailed(kind, pod,
                            "ResourceVersion in precondition: " + version +
                                ", ResourceVersion in object meta: " + pod_version);
}

Refusal CheckAssignable(const Json& pod) {
  const std::string& name = StringAt(pod, {"metadata", "name"});
  const auto conflict = [&](const std::string& text) {
    return Conflict("pods/binding", name, text);
  };
  if (Find(pod, {"metadata", "deletionTimestamp"}) != nullptr) {
    return conflict("pod " + name + " is being deleted, cannot be assigned to a host");
  }
  if (const std::string& node = StringAt(pod, {"spec", "nodeName"}); !node.empty()) {
    return conflict("pod " + name + " is already assigned to node \"" + node + "\"");
  }
  const Json* gates = Find(pod, {"spec", "schedulingGates"});
  if (gates != nullptr && !gates->empty()) {
    return conflict("pod " + name + " has non-empty .spec.schedulingGates");
  }
  return std::nullopt;
}

Json Bound(const Json& pod, const Json& binding, const std::string& now) {
  Json bound = pod;
  bound["spec"]["nodeName"] = StringAt(binding, {"target", "name"});
  if (const Json* annotations = Find(binding, {"metadata", "annotations"})) {
    Json& kept = ObjectAt(bound["metadata"], "annotations");
    for (const auto& [key, value] : annotations->items()) kept[key] = value;
  }
  SetCondition(bound, "PodScheduled", {{"status", "True"}, {"lastProbeTime", nullptr}}, now);
  return bound;
}

}  // namespace

HttpResponse BindPod(Backend& backend, const Target& target, const HttpRequest& request) {
  auto options = ParseWriteOptions(request);
  if (!options.ok()) return ToResponse(options.error());
  auto body = ParseBody(request);
  if (!body.ok()) return ToResponse(body.error());
  const Json& binding = body.value();
  const std::string& name = StringAt(binding, {"metadata", "name"});
  if (const std::string& kind = StringAt(binding, {"kind"}); !kind.empty() && kind != "Binding") {
    return ToResponse(BadRequest(kind + " in version \"v1\" cannot be handled as a Binding"));
  }
  if (Refusal refusal = CheckNamespace(backend, *target.kind, target.ns, name)) {
    return ToResponse(*refusal);
  }
  if (name.empty() || (!target.name.empty() && target.name != name)) {
    return ToResponse(BadRequest("name in URL does not match name in Binding object"));
  }
  const Json* annotations = Find(binding, {"metadata", "annotations"});
  if (annotations != nullptr && !annotations->is_object()) {
    return ToResponse(BadRequest("metadata.annotations: expected an object"));
  }
  if (Refusal refusal = CheckTarget(binding)) return ToResponse(*refusal);
  const VersionPtr pod = backend.Find(*target.kind, target.ns, name);
  if (pod == nullptr) return ToResponse(NotFound(*target.kind, name));
  if (Refusal refusal = CheckPreconditions(*target.kind, binding, pod->object)) {
    return ToResponse(*refusal);
  }
  if (Refusal refusal = CheckAssignable(pod->object)) return ToResponse(*refusal);
  if (!options.value().dry_run) {
    backend.store.Put(target.kind->storage, KeyOf(target.ns, name),
                      Bound(pod->object, binding, backend.Now()));
  }
  return Success(201);
}

}  // namespace muster::e2e
