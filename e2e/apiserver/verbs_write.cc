#include <utility>

#include "e2e/apiserver/deletion.h"
#include "e2e/apiserver/event_view.h"
#include "e2e/apiserver/list.h"
#include "e2e/apiserver/meta.h"
#include "e2e/apiserver/patch.h"
#include "e2e/apiserver/verbs.h"
#include "e2e/apiserver/warnings.h"

namespace muster::e2e {
namespace {

HttpResponse Shown(const Kind& kind, int code, const Version& version, const Admission& admission) {
  HttpResponse response = Answer(code, TextOf(kind, version));
  for (std::string& warning : WarningHeaders(admission.warnings)) {
    response.headers.emplace_back("Warning", std::move(warning));
  }
  return response;
}

// What etcd refuses to take (--max-request-bytes). The text of a large object is made twice.
Refusal CheckStoredSize(const Json& object, std::size_t known_bytes, const HttpRequest& request) {
  constexpr std::size_t kMostBytes = std::size_t{3} << 19U;
  if (known_bytes + request.body.size() <= kMostBytes) return std::nullopt;
  if (Dump(object).size() <= kMostBytes) return std::nullopt;
  return Plain(500, "", "etcdserver: request is too large");
}

VersionPtr NotStored(Json object, std::int64_t rv) {
  auto version = std::make_shared<Version>();
  version->text = Dump(object);
  version->object = std::move(object);
  version->rv = rv;
  return version;
}

// The old object, and the changed one as the client sent it or as the patch made it.
struct Replacement {
  VersionPtr old;
  Json next;
  UpdateRules rules;
};

Outcome<VersionPtr> Replace(const Call& call, Replacement change, Admission& admission) {
  const Kind& kind = *call.target.kind;
  const Json& old = change.old->object;
  Json& next = change.next;
  if (Refusal refusal = CheckIdentity(kind, old, next, change.rules)) return *std::move(refusal);
  KeepWhatIsFixed(kind, old, next, change.rules);
  if (Refusal refusal = AdmitChange(kind, old, next, change.rules, admission)) {
    return *std::move(refusal);
  }
  if (Refusal refusal = CheckAnnotationsSize(kind, next)) return *std::move(refusal);
  CountGeneration(kind, old, next);
  if (next == old) return change.old;  // A write that changes nothing is none.
  if (admission.options.dry_run) return NotStored(std::move(next), change.old->rv);
  if (Refusal refusal = CheckStoredSize(next, change.old->text.size(), call.request)) {
    return *std::move(refusal);
  }
  const bool released = Find(next, {"metadata", "deletionTimestamp"}) != nullptr &&
                        !HasFinalizers(next) &&
                        IntAt(next, {"metadata", "deletionGracePeriodSeconds"}).value_or(0) == 0;
  VersionPtr stored = call.backend.store.Put(kind.storage, KeyOf(call.target.ns, call.target.name),
                                             std::move(next));
  if (released && HasFinalizers(old)) return RemoveObject(call.backend, kind, stored->object);
  return stored;
}

HttpResponse Finish(const Call& call, Replacement change) {
  Admission admission;
  auto options = ParseWriteOptions(call.request);
  if (!options.ok()) return ToResponse(options.error());
  admission.options = options.value();
  auto stored = Replace(call, std::move(change), admission);
  if (!stored.ok()) return ToResponse(stored.error());
  return Shown(*call.target.kind, 200, *stored.value(), admission);
}

}  // namespace

Outcome<VersionPtr> StoreNew(Backend& backend, const Target& target, Json object,
                             Admission& admission) {
  const Kind& kind = *target.kind;
  const std::string asked = StringAt(object, {"metadata", "name"});
  if (Refusal refusal = CheckNamespace(backend, kind, target.ns, asked)) {
    return *std::move(refusal);
  }
  if (Refusal refusal = StampNew(backend, target, object)) return *std::move(refusal);
  if (Refusal refusal = AdmitNew(backend, kind, object, admission)) return *std::move(refusal);
  if (Refusal refusal = CheckAnnotationsSize(kind, object)) return *std::move(refusal);
  const std::string name = StringAt(object, {"metadata", "name"});
  if (backend.Find(kind, target.ns, name) != nullptr) return AlreadyExists(kind, name);
  if (admission.options.dry_run) return NotStored(std::move(object), 0);
  return backend.store.Put(kind.storage, KeyOf(target.ns, name), std::move(object));
}

HttpResponse CreateObject(const Call& call) {
  const Kind& kind = *call.target.kind;
  Admission admission;
  auto options = ParseWriteOptions(call.request);
  if (!options.ok()) return ToResponse(options.error());
  admission.options = options.value();
  auto body = ParseBody(call.request);
  if (!body.ok()) return ToResponse(body.error());
  if (Refusal refusal = CheckType(kind, body.value())) return ToResponse(*refusal);
  if (Refusal refusal = CheckStoredSize(body.value(), 0, call.request)) {
    return ToResponse(*refusal);
  }
  auto stored =
      StoreNew(call.backend, call.target, FromView(kind, std::move(body.value())), admission);
  if (!stored.ok()) return ToResponse(stored.error());
  return Shown(kind, 201, *stored.value(), admission);
}

HttpResponse UpdateObject(const Call& call) {
  const Kind& kind = *call.target.kind;
  auto body = ParseBody(call.request);
  if (!body.ok()) return ToResponse(body.error());
  if (Refusal refusal = CheckType(kind, body.value())) return ToResponse(*refusal);
  VersionPtr old = call.backend.Find(kind, call.target.ns, call.target.name);
  if (old == nullptr) return ToResponse(NotFound(kind, call.target.name));
  return Finish(call, {.old = std::move(old),
                       .next = FromView(kind, std::move(body.value())),
                       .rules = {.subresource = call.target.subresource}});
}

HttpResponse PatchObject(const Call& call) {
  const Kind& kind = *call.target.kind;
  if (Refusal refusal = CheckPatchType(kind, call.request)) return ToResponse(*refusal);
  VersionPtr old = call.backend.Find(kind, call.target.ns, call.target.name);
  if (old == nullptr) return ToResponse(NotFound(kind, call.target.name));
  auto patched = HasOwnView(kind) ? ApplyPatch(ToView(kind, old->object), call.request)
                                  : ApplyPatch(old->object, call.request);
  if (!patched.ok()) return ToResponse(patched.error());
  if (Refusal refusal = CheckType(kind, patched.value())) return ToResponse(*refusal);
  return Finish(call, {.old = std::move(old),
                       .next = FromView(kind, std::move(patched.value())),
                       .rules = {.subresource = call.target.subresource, .patch = true}});
}

namespace {

// Said by the Job's storage; other kinds take their dependents along.
constexpr const char* kPodsAreKept =
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
    "to "
    "remove them or set propagationPolicy=Orphan to suppress this warning";

HttpResponse Warned(const Kind& kind, const DeleteOptions& options, HttpResponse response) {
  if (kind.orphans_by_default && options.propagation.empty()) {
    response.headers.emplace_back("Warning", WarningHeaders({kPodsAreKept}).front());
  }
  return response;
}

}  // namespace

HttpResponse DeleteOneObject(const Call& call) {
  const Kind& kind = *call.target.kind;
  auto options = ParseDeleteOptions(call.request);
  if (!options.ok()) return ToResponse(options.error());
  const VersionPtr found = call.backend.Find(kind, call.target.ns, call.target.name);
  if (found == nullptr) return ToResponse(NotFound(kind, call.target.name));
  auto deleted = DeleteObject(call.backend, kind, found, options.value());
  if (!deleted.ok()) return ToResponse(deleted.error());
  const bool shows_object = kind.builtin == Builtin::kPod || kind.builtin == Builtin::kNamespace;
  if (shows_object || !deleted.value().gone) {
    return Warned(kind, options.value(), Answer(200, TextOf(kind, *deleted.value().last)));
  }
  Json details = {{"name", call.target.name},
                  {"kind", kind.plural},
                  {"uid", StringAt(found->object, {"metadata", "uid"})}};
  if (!kind.group.empty()) details["group"] = kind.group;
  return Warned(kind, options.value(), Success(200, std::move(details)));
}

HttpResponse DeleteObjects(const Call& call) {
  auto options = ParseDeleteOptions(call.request);
  if (!options.ok()) return ToResponse(options.error());
  auto selector = SelectorOf(call.target, call.request);
  if (!selector.ok()) return ToResponse(selector.error());
  auto page = ListPage(call.backend.store, call.target, selector.value(), ListOptions());
  if (!page.ok()) return ToResponse(page.error());
  for (const VersionPtr& item : page.value().items) {
    auto deleted = DeleteObject(call.backend, *call.target.kind, item, options.value());
    if (!deleted.ok()) return ToResponse(deleted.error());
  }
  return Answer(200, ListText(*call.target.kind, page.value()));
}

}  // namespace muster::e2e
