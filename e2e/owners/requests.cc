#include "e2e/owners/requests.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

struct WatchedKind {
  std::string_view api_version, kind, plural;
  bool namespaced = true;
};

constexpr std::array<WatchedKind, 7> kKinds = {
    {{"v1", "Pod", "pods"},
     {"v1", "Node", "nodes", false},
     {"coordination.k8s.io/v1", "Lease", "leases"},
     {"batch/v1", "Job", "jobs"},
     {"apps/v1", "ReplicaSet", "replicasets"},
     {"policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"},
     {"muster.dev/v1alpha1", "PodGroup", "podgroups"}}};

std::string RootOf(const WatchedKind& kind) {
  return (kind.api_version == "v1" ? "/api/" : "/apis/") + std::string(kind.api_version) + "/";
}

std::string CollectionOf(const WatchedKind& kind, const std::string& ns) {
  const std::string inside = kind.namespaced ? "namespaces/" + ns + "/" : "";
  return RootOf(kind) + inside + std::string(kind.plural);
}

const WatchedKind* KindOf(const Json& object) {
  const std::string& version = StringAt(object, {"apiVersion"});
  const std::string& name = StringAt(object, {"kind"});
  for (const WatchedKind& kind : kKinds) {
    if (kind.kind == name && kind.api_version == version) return &kind;
  }
  return nullptr;
}

std::string PathOf(const Json& object) {
  const WatchedKind* kind = KindOf(object);
  MUSTER_CHECK(kind != nullptr);
  return CollectionOf(*kind, StringAt(object, {"metadata", "namespace"})) + "/" +
         StringAt(object, {"metadata", "name"});
}

HttpRequest Make(const std::string& method, std::string path, const Json& body,
                 const std::string& type = "application/json") {
  return {.method = method,
          .path = std::move(path),
          .query = {},
          .content_type = body.is_null() ? "" : type,
          .accept = "application/json",
          .body = body.is_null() ? "" : Dump(body)};
}

Json Operation(const char* name, const std::string& pointer, Json value) {
  return {{"op", name}, {"path", pointer}, {"value", std::move(value)}};
}

}  // namespace

Answered Requests::Do(HttpRequest request) const {
  const HttpResponse response = send_(request);
  return {.code = response.status, .body = Parse(response.body).value_or(Json())};
}

Answered Requests::Create(const Json& object) const {
  const WatchedKind* kind = KindOf(object);
  MUSTER_CHECK(kind != nullptr);
  return Do(Make("POST", CollectionOf(*kind, StringAt(object, {"metadata", "namespace"})), object));
}

Answered Requests::Delete(const Json& object, const std::string& propagation) const {
  return Do(Make("DELETE", PathOf(object),
                 {{"apiVersion", "v1"},
                  {"kind", "DeleteOptions"},
                  {"propagationPolicy", propagation},
                  {"preconditions", {{"uid", StringAt(object, {"metadata", "uid"})}}}}));
}

Answered Requests::PatchStatus(const Json& object, const std::string& same, Json status) const {
  const Json patch =
      Json::array({Operation("test", "/metadata/" + same, StringAt(object, {"metadata", same})),
                   Operation("add", "/status", std::move(status))});
  return Do(Make("PATCH", PathOf(object) + "/status", patch, "application/json-patch+json"));
}

Answered Requests::SetStatus(const Json& object, Json status) const {
  return PatchStatus(object, "uid", std::move(status));
}

Answered Requests::SetStatusOfVersion(const Json& object, Json status) const {
  return PatchStatus(object, "resourceVersion", std::move(status));
}

Answered Requests::SetField(const Json& object, const std::string& pointer, Json value) const {
  Json patch = Json::array({Operation("test", "/metadata/resourceVersion",
                                      StringAt(object, {"metadata", "resourceVersion"}))});
  if (value.is_null()) {
    patch.push_back({{"op", "remove"}, {"path", pointer}});
  } else {
    patch.push_back(Operation("add", pointer, std::move(value)));
  }
  return Do(Make("PATCH", PathOf(object), patch, "application/json-patch+json"));
}

Answered Requests::PatchPodStatus(const Json& pod, Json status) const {
  const Json patch = {{"metadata", {{"uid", StringAt(pod, {"metadata", "uid"})}}},
                      {"status", std::move(status)}};
  return Do(
      Make("PATCH", PathOf(pod) + "/status", patch, "application/strategic-merge-patch+json"));
}

Answered Requests::GetOwner(const Json& reference, const std::string& ns) const {
  const WatchedKind* kind = KindOf(reference);
  if (kind == nullptr) return {};
  return Do(Make("GET", CollectionOf(*kind, ns) + "/" + StringAt(reference, {"name"}), nullptr));
}

const std::vector<std::string>& WatchedPaths() {
  static const std::vector<std::string> paths = [] {
    std::vector<std::string> all;
    for (const WatchedKind& kind : kKinds) all.push_back(RootOf(kind) + std::string(kind.plural));
    return all;
  }();
  return paths;
}

}  // namespace muster::e2e
