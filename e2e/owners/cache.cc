#include "e2e/owners/cache.h"

#include <cstdlib>

namespace muster::e2e {
namespace {

std::int64_t VersionOf(const Json& object) {
  return std::atoll(StringAt(object, {"metadata", "resourceVersion"}).c_str());
}

std::pair<std::string, std::string> KeyOfObject(const Json& object) {
  return {StringAt(object, {"kind"}), StringAt(object, {"metadata", "namespace"}) + "/" +
                                          StringAt(object, {"metadata", "name"})};
}

}  // namespace

const Json& OwnersOf(const Json& object) {
  static const Json none = Json::array();
  const Json* owners = Find(object, {"metadata", "ownerReferences"});
  return owners != nullptr && owners->is_array() ? *owners : none;
}

const Json* ControllerOf(const Json& object) {
  for (const Json& owner : OwnersOf(object)) {
    if (BoolAt(owner, {"controller"})) return &owner;
  }
  return nullptr;
}

const std::string& UidOf(const Json& object) {
  return StringAt(object, {"metadata", "uid"});
}

bool IsLeaving(const Json& object) {
  return Find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

bool IsTerminalPod(const Json& pod) {
  const std::string& phase = StringAt(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

bool Cache::Take(const Json& object) {
  const std::string& uid = UidOf(object);
  const auto known = objects_.find(uid);
  if (known != objects_.end()) {
    if (VersionOf(object) <= VersionOf(known->second)) return false;
    Unlink(known->second);
  }
  const Key key = KeyOfObject(object);
  uids_[key] = uid;
  for (const Json& owner : OwnersOf(object)) dependents_[StringAt(owner, {"uid"})][key] = uid;
  objects_[uid] = object;
  return true;
}

void Cache::Unlink(const Json& object) {
  const Key key = KeyOfObject(object);
  for (const Json& owner : OwnersOf(object)) {
    const auto found = dependents_.find(StringAt(owner, {"uid"}));
    if (found == dependents_.end()) continue;
    const auto at = found->second.find(key);
    // A successor of the same name may stand there already.
    if (at != found->second.end() && at->second == UidOf(object)) found->second.erase(at);
    if (found->second.empty()) dependents_.erase(found);
  }
}

void Cache::Drop(const std::string& uid) {
  const auto known = objects_.find(uid);
  if (known == objects_.end()) return;
  Unlink(known->second);
  const auto named = uids_.find(KeyOfObject(known->second));
  if (named != uids_.end() && named->second == uid) uids_.erase(named);
  objects_.erase(known);
}

const Json* Cache::Find(const std::string& uid) const {
  const auto known = objects_.find(uid);
  return known == objects_.end() ? nullptr : &known->second;
}

const Json* Cache::FindNode(const std::string& name) const {
  const auto named = uids_.find({"Node", "/" + name});
  return named == uids_.end() ? nullptr : Find(named->second);
}

std::vector<const Json*> Cache::OfKind(const std::string& kind) const {
  std::vector<const Json*> found;
  for (auto at = uids_.lower_bound({kind, ""}); at != uids_.end() && at->first.first == kind;
       ++at) {
    found.push_back(&objects_.at(at->second));
  }
  return found;
}

std::vector<const Json*> Cache::DependentsOf(const std::string& uid) const {
  std::vector<const Json*> found;
  const auto owned = dependents_.find(uid);
  if (owned == dependents_.end()) return found;
  for (const auto& [key, dependent] : owned->second) found.push_back(&objects_.at(dependent));
  return found;
}

std::vector<const Json*> Cache::PodsOf(const std::string& uid) const {
  std::vector<const Json*> pods;
  for (const Json* one : DependentsOf(uid)) {
    const Json* controller = ControllerOf(*one);
    const bool owned = controller != nullptr && StringAt(*controller, {"uid"}) == uid;
    if (owned && StringAt(*one, {"kind"}) == "Pod") pods.push_back(one);
  }
  return pods;
}

}  // namespace muster::e2e
