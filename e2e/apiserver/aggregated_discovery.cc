#include "e2e/apiserver/aggregated_discovery.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "e2e/apiserver/json.h"
#include "e2e/apiserver/served.h"

namespace muster::e2e {
namespace {

Json ResponseKind(const std::string& group, const std::string& version, const std::string& kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

Json ResourceOf(const Kind& kind) {
  Json resource = {{"resource", kind.plural},
                   {"responseKind", ResponseKind(kind.group, kind.version, kind.kind)},
                   {"scope", kind.namespaced ? "Namespaced" : "Cluster"},
                   {"singularResource", kind.singular},
                   {"verbs", VerbsOf(kind)}};
  if (!kind.short_names.empty()) resource["shortNames"] = kind.short_names;
  if (!kind.categories.empty()) resource["categories"] = kind.categories;
  Json subresources = Json::array();
  for (const Subresource& one : SubresourcesOf(kind)) {
    subresources.push_back({{"subresource", one.name},
                            {"responseKind", ResponseKind(one.group, one.version, one.kind)},
                            {"verbs", one.verbs}});
  }
  if (!subresources.empty()) resource["subresources"] = std::move(subresources);
  return resource;
}

// The legacy path, which names its pod in the body.
Json LegacyBindings() {
  return {{"resource", "bindings"},
          {"responseKind", ResponseKind("", "v1", "Binding")},
          {"scope", "Namespaced"},
          {"singularResource", "binding"},
          {"verbs", {"create"}}};
}

Json VersionsOf(const KindTable& kinds, const std::string& group) {
  Json versions = Json::array();
  for (const Kind& kind : kinds.all()) {
    if (kind.group != group) continue;
    auto found = std::ranges::find_if(
        versions, [&](const Json& one) { return one["version"] == kind.version; });
    if (found == versions.end()) {
      versions.push_back(
          {{"version", kind.version}, {"freshness", "Current"}, {"resources", Json::array()}});
      found = versions.end() - 1;
    }
    (*found)["resources"].push_back(ResourceOf(kind));
  }
  if (group.empty()) versions.front()["resources"].push_back(LegacyBindings());
  return versions;
}

}  // namespace

std::string AggregatedVersion(std::string_view accept) {
  // The media types stand in the order in which the client prefers them.
  while (!accept.empty()) {
    const std::string_view type = accept.substr(0, accept.find(','));
    accept.remove_prefix(std::min(type.size() + 1, accept.size()));
    const bool json = type.find("application/json") != std::string_view::npos;
    const bool discovery = type.find("as=APIGroupDiscoveryList") != std::string_view::npos;
    if (json && !discovery) return "";
    if (!json) continue;
    for (const char* version : {"v2", "v2beta1"}) {
      const std::string wanted = std::string("v=") + version + ";";
      if ((std::string(type) + ";").find(wanted) != std::string::npos) return version;
    }
  }
  return "";
}

std::string AggregatedDiscovery(const KindTable& kinds, bool core, const std::string& version) {
  std::vector<std::string> groups;
  for (const Kind& kind : kinds.all()) {
    const bool wanted = kind.group.empty() == core;
    if (wanted && std::ranges::find(groups, kind.group) == groups.end()) {
      groups.push_back(kind.group);
    }
  }
  Json items = Json::array();
  for (const std::string& group : groups) {
    Json meta = {{"creationTimestamp", nullptr}};
    if (!core) meta["name"] = group;
    items.push_back({{"metadata", std::move(meta)}, {"versions", VersionsOf(kinds, group)}});
  }
  return Dump({{"kind", "APIGroupDiscoveryList"},
               {"apiVersion", "apidiscovery.k8s.io/" + version},
               {"metadata", Json::object()},
               {"items", std::move(items)}});
}

}  // namespace muster::e2e
