#include "e2e/apiserver/served.h"

namespace muster::e2e {

std::vector<std::string> VerbsOf(const Kind& kind) {
  if (kind.builtin == Builtin::kCrd) return {"get", "list", "watch"};
  return {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
}

std::vector<Subresource> SubresourcesOf(const Kind& kind) {
  std::vector<Subresource> all;
  if (kind.builtin == Builtin::kPod) {
    all.push_back(
        {.name = "binding", .group = "", .version = "v1", .kind = "Binding", .verbs = {"create"}});
    all.push_back({.name = "eviction",
                   .group = "policy",
                   .version = "v1",
                   .kind = "Eviction",
                   .verbs = {"create"}});
  }
  if (kind.has_status && kind.builtin != Builtin::kCrd) {
    all.push_back({.name = "status",
                   .group = kind.group,
                   .version = kind.version,
                   .kind = kind.kind,
                   .verbs = {"get", "patch", "update"}});
  }
  return all;
}

}  // namespace muster::e2e
