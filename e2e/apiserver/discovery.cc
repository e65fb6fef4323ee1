#include "e2e/apiserver/discovery.h"

#include <algorithm>
#include <string>
#include <utility>

#include "e2e/apiserver/aggregated_discovery.h"
#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/json.h"
#include "e2e/apiserver/openapi.h"
#include "e2e/apiserver/served.h"

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
  Json resource = {{"name", kind.plural},
                   {"singularName", kind.singular},
                   {"namespaced", kind.namespaced},
                   {"kind", kind.kind},
                   {"verbs", VerbsOf(kind)}};
  if (!kind.short_names.empty()) resource["shortNames"] = kind.short_names;
  if (!kind.categories.empty()) resource["categories"] = kind.categories;
  return resource;
}

Json SubresourceRow(const Kind& kind, const Subresource& one) {
  Json row = {{"name", kind.plural + "/" + one.name},
              {"singularName", ""},
              {"namespaced", kind.namespaced},
              {"kind", one.kind},
              {"verbs", one.verbs}};
  // Where the body is of another group: that is how kubectl finds evictions.
  if (one.group != kind.group) {
    row["group"] = one.group;
    row["version"] = one.version;
  }
  return row;
}

// The legacy path, which names its pod in the body.
Json BindingsRow() {
  return {{"name", "bindings"},
          {"singularName", "binding"},
          {"namespaced", true},
          {"kind", "Binding"},
          {"verbs", {"create"}}};
}

Json Resources(const KindTable& kinds, std::string_view group_version) {
  Json resources = Json::array();
  for (const Kind& kind : kinds.all()) {
    if (kind.api_version() != group_version) continue;
    resources.push_back(Resource(kind));
    for (const Subresource& one : SubresourcesOf(kind)) {
      resources.push_back(SubresourceRow(kind, one));
    }
    if (kind.builtin == Builtin::kPod) resources.push_back(BindingsRow());
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

std::optional<HttpResponse> AnswerDiscovery(const KindTable& kinds, const HttpRequest& request) {
  std::string_view path = request.path;
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/healthz" || path == "/readyz" || path == "/livez") {
    HttpResponse response = Answer(200, "ok");
    response.content_type = "text/plain; charset=utf-8";
    return response;
  }
  const std::string aggregated = AggregatedVersion(request.accept);
  if (!aggregated.empty() && (path == "/api" || path == "/apis")) {
    HttpResponse response = Answer(200, AggregatedDiscovery(kinds, path == "/api", aggregated));
    response.content_type =
        "application/json;g=apidiscovery.k8s.io;v=" + aggregated + ";as=APIGroupDiscoveryList";
    return response;
  }
  const Json document = Document(kinds, path);
  if (document.is_null()) return std::nullopt;
  return Answer(200, Dump(document));
}

}  // namespace muster::e2e
