#include "e2e/apiserver/discovery.h"

#include <algorithm>
#include <string>
#include <utility>

#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/json.h"
#include "e2e/apiserver/openapi.h"

namespace muster::e2e {
namespace {

Json ApiVersions() {
  return {
      {"kind", "APIVersions"}, {"versions", {"v1"}}, {"serverAddressByClientCIDRs", Json::array()}};
}

// Every version of a group, in the order of the table.
Json Group(const KindTable& kinds, const std::string& name) {
  Json versions = Json::array();
  for (const Kind& kind : kinds.all()) {
    if (kind.group != name) continue;
    Json version = {{"groupVersion", kind.api_version()}, {"version", kind.version}};
    if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
      versions.push_back(std::move(version));
    }
  }
  if (versions.empty()) return nullptr;
  Json first = versions.front();
  return {
      {"name", name}, {"versions", std::move(versions)}, {"preferredVersion", std::move(first)}};
}

Json Groups(const KindTable& kinds) {
  Json groups = Json::array();
  for (const Kind& kind : kinds.all()) {
    if (kind.group.empty()) continue;
    Json group = Group(kinds, kind.group);
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) {
      groups.push_back(std::move(group));
    }
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

Json Resource(const Kind& kind) {
  Json verbs = {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
  if (kind.builtin == Builtin::kCrd) verbs = {"get", "list", "watch"};
  Json resource = {{"name", kind.plural},
                   {"singularName", kind.singular},
                   {"namespaced", kind.namespaced},
                   {"kind", kind.kind},
                   {"verbs", std::move(verbs)}};
  if (!kind.short_names.empty()) resource["shortNames"] = kind.short_names;
  if (!kind.categories.empty()) resource["categories"] = kind.categories;
  return resource;
}

Json Subresource(const Kind& kind, const std::string& name, Json verbs) {
  return {{"name", name.empty() ? "bindings" : kind.plural + "/" + name},
          {"singularName", ""},
          {"namespaced", kind.namespaced},
          {"kind", kind.kind},
          {"verbs", std::move(verbs)}};
}

Json Resources(const KindTable& kinds, std::string_view group_version) {
  Json resources = Json::array();
  for (const Kind& kind : kinds.all()) {
    if (kind.api_version() != group_version) continue;
    resources.push_back(Resource(kind));
    if (kind.has_status && kind.builtin != Builtin::kCrd) {
      resources.push_back(Subresource(kind, "status", {"get", "patch", "update"}));
    }
    if (kind.builtin != Builtin::kPod) continue;
    for (const char* name : {"binding", ""}) {
      Json binding = Subresource(kind, name, {"create"});
      binding["kind"] = "Binding";
      resources.push_back(std::move(binding));
    }
  }
  if (resources.empty()) return nullptr;
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", group_version},
          {"resources", std::move(resources)}};
}

// The release whose answers this server gives.
Json ServerVersion() {
  return {{"major", "1"},    {"minor", "34"},           {"gitVersion", "v1.34.4+simulated"},
          {"gitCommit", ""}, {"gitTreeState", "clean"}, {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", ""}, {"compiler", ""},          {"platform", "linux/amd64"}};
}

Json Document(const KindTable& kinds, std::string_view path) {
  constexpr std::string_view kOpenApi = "/openapi/v3";
  constexpr std::string_view kApis = "/apis/";
  if (path == "/version") return ServerVersion();
  if (path == "/api") return ApiVersions();
  if (path == "/apis") return Groups(kinds);
  if (path == "/api/v1") return Resources(kinds, "v1");
  if (path == kOpenApi) return OpenApiIndex(kinds);
  if (path.starts_with(kOpenApi) && path.size() > kOpenApi.size() + 1) {
    return OpenApiDocument(kinds, path.substr(kOpenApi.size() + 1));
  }
  if (!path.starts_with(kApis)) return nullptr;
  path.remove_prefix(kApis.size());
  if (path.find('/') != std::string_view::npos) return Resources(kinds, path);
  Json group = Group(kinds, std::string(path));
  if (!group.is_null()) {
    group["kind"] = "APIGroup";
    group["apiVersion"] = "v1";
  }
  return group;
}

}  // namespace

std::optional<HttpResponse> AnswerDiscovery(const KindTable& kinds, std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/healthz" || path == "/readyz" || path == "/livez") {
    HttpResponse response = Answer(200, "ok");
    response.content_type = "text/plain; charset=utf-8";
    return response;
  }
  const Json document = Document(kinds, path);
  if (document.is_null()) return std::nullopt;
  return Answer(200, Dump(document));
}

}  // namespace muster::e2e
