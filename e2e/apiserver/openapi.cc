#include "e2e/apiserver/openapi.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "e2e/apiserver/builtin_fields.h"
#include "e2e/apiserver/crd.h"

namespace muster::e2e {
namespace {

Json Parameter(const char* name) {
  return {{"name", name}, {"in", "query"}, {"schema", {{"type", "string"}, {"uniqueItems", true}}}};
}

Json TypeOf(const Kind& kind) {
  return {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
}

std::string SchemaName(const Kind& kind) {
  return (kind.group.empty() ? "core" : kind.group) + "." + kind.version + "." + kind.kind;
}

Json Operation(const Kind& kind, const char* action, bool writes) {
  Json operation = {
      {"x-kubernetes-group-version-kind", TypeOf(kind)},
      {"x-kubernetes-action", action},
      {"responses",
       {{"200",
         {{"description", "OK"},
          {"content",
           {{"application/json",
             {{"schema", {{"$ref", "#/components/schemas/" + SchemaName(kind)}}}}}}}}}}}};
  if (writes) {
    operation["parameters"] = {Parameter("dryRun"), Parameter("fieldManager"),
                               Parameter("fieldValidation")};
  }
  return operation;
}

constexpr const char* kMetaName = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

Json SchemaOf(const Kind& kind) {
  Json schema = kind.crd != nullptr ? kind.crd->open_api : BuiltinSchema(kind.builtin);
  Json& properties = schema["properties"];
  properties["apiVersion"] = {
      {"type", "string"},
      {"description", "Group and version of the schema that the object follows."}};
  properties["kind"] = {{"type", "string"}, {"description", "What the object is."}};
  properties["metadata"] = {
      {"description", "Standard metadata of an object."},
      {"allOf", Json::array({{{"$ref", std::string("#/components/schemas/") + kMetaName}}})}};
  schema["x-kubernetes-group-version-kind"] = Json::array({TypeOf(kind)});
  return schema;
}

std::string Fingerprint(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a.
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::array<char, 20> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llX", static_cast<unsigned long long>(hash));
  return digits.data();
}

}  // namespace

std::string OpenApiPath(const Kind& kind) {
  return kind.group.empty() ? "api/" + kind.version : "apis/" + kind.group + "/" + kind.version;
}

Json OpenApiIndex(const KindTable& kinds) {
  Json paths = Json::object();
  for (const Kind& kind : kinds.all()) {
    const std::string path = OpenApiPath(kind);
    if (paths.contains(path)) continue;
    const std::string hash = Fingerprint(Dump(OpenApiDocument(kinds, path)));
    std::string url = "/openapi/v3/";
    url.append(path).append("?hash=").append(hash);
    paths[path] = {{"serverRelativeURL", std::move(url)}};
  }
  return {{"paths", std::move(paths)}};
}

Json OpenApiDocument(const KindTable& kinds, std::string_view path) {
  Json paths = Json::object();
  Json schemas = Json::object();
  for (const Kind& kind : kinds.all()) {
    if (OpenApiPath(kind) != path) continue;
    const std::string collection = "/" + std::string(path) +
                                   (kind.namespaced ? "/namespaces/{namespace}/" : "/") +
                                   kind.plural;
    paths[collection] = {{"get", Operation(kind, "list", false)},
                         {"post", Operation(kind, "post", true)}};
    paths[collection + "/{name}"] = {{"get", Operation(kind, "get", false)},
                                     {"put", Operation(kind, "put", true)},
                                     {"patch", Operation(kind, "patch", true)},
                                     {"delete", Operation(kind, "delete", true)}};
    schemas[SchemaName(kind)] = SchemaOf(kind);
  }
  if (paths.empty()) return nullptr;
  schemas[kMetaName] = MetaSchema();
  return {{"openapi", "3.0.0"},
          {"info", {{"title", "Kubernetes"}, {"version", "v1.34.4"}}},
          {"paths", std::move(paths)},
          {"components", {{"schemas", std::move(schemas)}}}};
}

}  // namespace muster::e2e
