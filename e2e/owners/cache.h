// The objects that the controllers have heard of, by UID, and who owns whom. An answer to a write
// counts as news, so that nobody acts twice before the watch has caught up (the expectations of
// kube-controller-manager).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "e2e/apiserver/conditions.h"
#include "e2e/apiserver/json.h"

namespace muster::e2e {

// Null when nobody is its controller.
[[nodiscard]] const Json* ControllerOf(const Json& object);
[[nodiscard]] const std::string& UidOf(const Json& object);
[[nodiscard]] const Json& OwnersOf(const Json& object);  // An array.
[[nodiscard]] bool IsLeaving(const Json& object);        // It has a deletionTimestamp.
[[nodiscard]] bool IsTerminalPod(const Json& pod);

class Cache {
 public:
  // False: no news, what is known is as new.
  bool Take(const Json& object);
  void Drop(const std::string& uid);

  [[nodiscard]] const Json* Find(const std::string& uid) const;
  [[nodiscard]] const Json* FindNode(const std::string& name) const;
  // In the order of namespace and name.
  [[nodiscard]] std::vector<const Json*> OfKind(const std::string& kind) const;
  // Whose ownerReferences name the UID, in the order of kind, namespace and name.
  [[nodiscard]] std::vector<const Json*> DependentsOf(const std::string& uid) const;
  // The pods of which it is the controller.
  [[nodiscard]] std::vector<const Json*> PodsOf(const std::string& uid) const;

 private:
  using Key = std::pair<std::string, std::string>;  // Kind, "namespace/name".
  void Unlink(const Json& object);

  std::map<std::string, Json> objects_;                           // By UID.
  std::map<Key, std::string> uids_;                               // The newest of each name.
  std::map<std::string, std::map<Key, std::string>> dependents_;  // UIDs, by the owner's.
};

}  // namespace muster::e2e
