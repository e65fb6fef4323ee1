#include "e2e/apiserver/deletion.h"

#include <charconv>
#include <utility>
#include <vector>

#include "e2e/apiserver/meta.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kDefaultGraceSeconds = 30;

bool IsTerminal(const Json& pod) {
  const std::string& phase = StringAt(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

// 0 = gone at once. Only a pod that a kubelet may be running has time to end.
std::int64_t GraceOf(const Kind& kind, const Json& object, const DeleteOptions& options) {
  if (kind.builtin != Builtin::kPod) return 0;
  if (StringAt(object, {"spec", "nodeName"}).empty() || IsTerminal(object)) return 0;
  const auto own = IntAt(object, {"spec", "terminationGracePeriodSeconds"});
  const std::int64_t grace = options.grace_seconds.value_or(own.value_or(kDefaultGraceSeconds));
  return grace < 0 ? 1 : grace;
}

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

// The finalizers that the garbage collector removes: which of them a deletion sets
// (deletionFinalizersForGarbageCollection of k8s.io/apiserver). Unsaid, one that is there stays.
Json WithCollectorsFinalizer(const Kind& kind, const Json& object, const DeleteOptions& options) {
  Json others = Json::array();
  std::string_view chosen;
  const Json* finalizers = Find(object, {"metadata", "finalizers"});
  const Json none = Json::array();
  for (const Json& one : finalizers != nullptr && finalizers->is_array() ? *finalizers : none) {
    if (one == kOrphan) chosen = kOrphan;
    if (one == kForeground) chosen = kForeground;
    if (one != kOrphan && one != kForeground) others.push_back(one);
  }
  if (options.propagation.empty() && chosen.empty() && kind.orphans_by_default) chosen = kOrphan;
  if (options.propagation == "Background") chosen = {};
  if (options.propagation == "Orphan") chosen = kOrphan;
  if (options.propagation == "Foreground") chosen = kForeground;
  if (!chosen.empty()) others.push_back(chosen);
  Json next = object;
  if (others.empty()) {
    next["metadata"].erase("finalizers");
  } else {
    next["metadata"]["finalizers"] = std::move(others);
  }
  return next;
}

Json Marked(const Backend& backend, const Kind& kind, const Json& object, std::int64_t grace) {
  Json marked = object;
  Json& meta = marked["metadata"];
  meta["deletionTimestamp"] = TimeText(backend.now_ms() + grace * 1000);
  meta["deletionGracePeriodSeconds"] = grace;
  const bool first = Find(object, {"metadata", "deletionTimestamp"}) == nullptr;
  if (first && kind.counts_generation) {
    meta["generation"] = IntAt(meta, {"generation"}).value_or(0) + 1;
  }
  return marked;
}

std::vector<VersionPtr> ObjectsIn(const Backend& backend, const Kind& kind, const std::string& ns) {
  std::vector<VersionPtr> found;
  const Objects& all = backend.store.All(kind.storage);
  const std::string prefix = ns + "/";
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    found.push_back(at->second);
  }
  return found;
}

bool IsEmpty(const Backend& backend, const std::string& ns) {
  for (const Kind& kind : backend.kinds.all()) {
    if (kind.namespaced && !ObjectsIn(backend, kind, ns).empty()) return false;
  }
  return true;
}

void FinishNamespace(Backend& backend, const std::string& ns) {
  const Kind& kind = backend.kinds.Get(Builtin::kNamespace);
  const VersionPtr found = backend.Find(kind, "", ns);
  if (found == nullptr || Find(found->object, {"metadata", "deletionTimestamp"}) == nullptr) return;
  if (IsEmpty(backend, ns)) backend.store.Delete(kind.storage, ns);
}

// An object of a namespace that goes away, or the object itself: marked, or taken out.
Deleted DeleteOne(Backend& backend, const Kind& kind, const VersionPtr& object,
                  const DeleteOptions& options) {
  const std::int64_t grace = GraceOf(kind, object->object, options);
  const Json next = WithCollectorsFinalizer(kind, object->object, options);
  const Json* marked = Find(next, {"metadata", "deletionTimestamp"});
  const std::string key =
      KeyOf(StringAt(next, {"metadata", "namespace"}), StringAt(next, {"metadata", "name"}));
  if (grace == 0 && !HasFinalizers(next)) {
    return {.last = backend.store.Delete(kind.storage, key), .gone = true};
  }
  const auto held = IntAt(next, {"metadata", "deletionGracePeriodSeconds"});
  const bool same = next == object->object;
  if (marked != nullptr && same && (!held || grace >= *held)) return {.last = object};
  return {.last = backend.store.Put(kind.storage, key, Marked(backend, kind, next, grace))};
}

// The namespace controller's work, in one step.
Deleted DeleteNamespace(Backend& backend, const Kind& kind, const VersionPtr& object) {
  const std::string ns = StringAt(object->object, {"metadata", "name"});
  VersionPtr last = object;
  if (Find(object->object, {"metadata", "deletionTimestamp"}) == nullptr) {
    Json marked = Marked(backend, kind, object->object, 0);
    marked["metadata"].erase("deletionGracePeriodSeconds");
    marked["status"]["phase"] = "Terminating";
    last = backend.store.Put(kind.storage, ns, std::move(marked));
  }
  for (const Kind& inner : backend.kinds.all()) {
    if (!inner.namespaced) continue;
    for (const VersionPtr& one : ObjectsIn(backend, inner, ns)) {
      (void)DeleteOne(backend, inner, one, {.propagation = "Background"});
    }
  }
  FinishNamespace(backend, ns);
  return {.last = last, .gone = backend.Find(kind, "", ns) == nullptr};
}

std::optional<std::int64_t> ParseSeconds(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Refusal CheckPropagation(const DeleteOptions& options) {
  const std::string& policy = options.propagation;
  if (policy.empty() || policy == "Background" || policy == "Foreground" || policy == "Orphan") {
    return std::nullopt;
  }
  const Kind delete_options{.group = "meta.k8s.io", .kind = "DeleteOptions"};
  return Invalid(
      delete_options, "",
      {UnsupportedValue("propagationPolicy", policy, {"Background", "Foreground", "Orphan"})});
}

}  // namespace

Refusal CheckDeletePreconditions(const Kind& kind, const Json& object,
                                 const DeleteOptions& options) {
  const std::string resource = kind.group.empty() ? kind.kind : kind.kind + "." + kind.group;
  const std::string& name = StringAt(object, {"metadata", "name"});
  const std::string& uid = StringAt(object, {"metadata", "uid"});
  if (!options.uid.empty() && options.uid != uid) {
    return Conflict(resource, name,
                    "the UID in the precondition (" + options.uid +
                        ") does not match the UID in record (" + uid +
                        "). The object might have been deleted and then recreated");
  }
  const std::string& version = StringAt(object, {"metadata", "resourceVersion"});
  if (!options.version.empty() && options.version != version) {
    return Conflict(resource, name,
                    "the ResourceVersion in the precondition (" + options.version +
                        ") does not match the ResourceVersion in record (" + version +
                        "). The object might have been modified");
  }
  return std::nullopt;
}

Outcome<DeleteOptions> ReadDeleteOptions(const HttpRequest& request, const Json* body) {
  DeleteOptions options;
  auto write = ParseWriteOptions(request);
  if (!write.ok()) return write.error();
  options.dry_run = write.value().dry_run;
  if (const std::string& grace = Param(request, "gracePeriodSeconds"); !grace.empty()) {
    options.grace_seconds = ParseSeconds(grace);
    if (!options.grace_seconds) return BadRequest("invalid gracePeriodSeconds: " + grace);
  }
  options.propagation = Param(request, "propagationPolicy");
  if (body != nullptr) {
    options.uid = StringAt(*body, {"preconditions", "uid"});
    options.version = StringAt(*body, {"preconditions", "resourceVersion"});
    if (const auto grace = IntAt(*body, {"gracePeriodSeconds"})) options.grace_seconds = grace;
    if (const std::string& policy = StringAt(*body, {"propagationPolicy"}); !policy.empty()) {
      options.propagation = policy;
    }
    const Json* dry_run = Find(*body, {"dryRun"});
    options.dry_run = options.dry_run || (dry_run != nullptr && *dry_run == Json::array({"All"}));
  }
  if (Refusal refusal = CheckPropagation(options)) return *std::move(refusal);
  return options;
}

Outcome<DeleteOptions> ParseDeleteOptions(const HttpRequest& request) {
  if (request.body.empty()) return ReadDeleteOptions(request, nullptr);
  auto body = ParseBody(request);
  if (!body.ok()) return body.error();
  return ReadDeleteOptions(request, &body.value());
}

Outcome<Deleted> DeleteObject(Backend& backend, const Kind& kind, const VersionPtr& object,
                              const DeleteOptions& options) {
  if (Refusal refusal = CheckDeletePreconditions(kind, object->object, options)) {
    return *std::move(refusal);
  }
  if (options.dry_run) return Deleted{.last = object, .gone = true};
  if (kind.builtin == Builtin::kNamespace) return DeleteNamespace(backend, kind, object);
  const std::string ns = StringAt(object->object, {"metadata", "namespace"});
  Deleted deleted = DeleteOne(backend, kind, object, options);
  if (deleted.gone && kind.namespaced) FinishNamespace(backend, ns);
  return deleted;
}

VersionPtr RemoveObject(Backend& backend, const Kind& kind, const Json& object) {
  const std::string ns = StringAt(object, {"metadata", "namespace"});
  VersionPtr last =
      backend.store.Delete(kind.storage, KeyOf(ns, StringAt(object, {"metadata", "name"})));
  if (kind.namespaced) FinishNamespace(backend, ns);
  return last;
}

}  // namespace muster::e2e
