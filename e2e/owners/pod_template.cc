#include "e2e/owners/pod_template.h"

#include <utility>

namespace muster::e2e {

Json PodOfTemplate(const Json& owner, const std::string& prefix) {
  Json pod = owner.at("spec").at("template");
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  Json meta = {{"generateName", prefix},
               {"namespace", StringAt(owner, {"metadata", "namespace"})},
               {"ownerReferences", Json::array({{{"apiVersion", StringAt(owner, {"apiVersion"})},
                                                 {"kind", StringAt(owner, {"kind"})},
                                                 {"name", StringAt(owner, {"metadata", "name"})},
                                                 {"uid", StringAt(owner, {"metadata", "uid"})},
                                                 {"controller", true},
                                                 {"blockOwnerDeletion", true}}})}};
  for (const char* field : {"labels", "annotations", "finalizers"}) {
    if (const Json* given = Find(pod, {"metadata", field})) meta[field] = *given;
  }
  pod["metadata"] = std::move(meta);
  return pod;
}

}  // namespace muster::e2e
