#include "e2e/owners/garbage.h"

#include <algorithm>
#include <utility>

#include "e2e/owners/cache.h"

namespace muster::e2e {
namespace {

constexpr const char* kOrphan = "orphan";
constexpr const char* kForeground = "foregroundDeletion";

Json FinalizersWithout(const Json& object, const std::string& finalizer) {
  Json kept = Json::array();
  for (const Json& one : object.at("metadata").at("finalizers")) {
    if (one != finalizer) kept.push_back(one);
  }
  return kept;
}

bool Blocks(const Json& dependent, const std::string& uid) {
  return std::ranges::any_of(OwnersOf(dependent), [&](const Json& owner) {
    return StringAt(owner, {"uid"}) == uid && BoolAt(owner, {"blockOwnerDeletion"});
  });
}

// An owner that is being deleted and has said what becomes of its dependents.
void PlanOwner(const Json& owner, const std::vector<const Json*>& dependents, GarbageStep& step) {
  const std::string& uid = UidOf(owner);
  if (HasFinalizer(owner, kOrphan)) {
    for (const Json* one : dependents) step.release.push_back(UidOf(*one));
    if (dependents.empty()) step.finalizers = FinalizersWithout(owner, kOrphan);
    return;
  }
  if (!HasFinalizer(owner, kForeground)) return;
  const bool blocked =
      std::ranges::any_of(dependents, [&](const Json* one) { return Blocks(*one, uid); });
  if (!blocked) step.finalizers = FinalizersWithout(owner, kForeground);
  for (const Json* one : dependents) step.look_at.push_back(UidOf(*one));
}

std::string PropagationOf(const Json& object) {
  if (HasFinalizer(object, kOrphan)) return "Orphan";
  return HasFinalizer(object, kForeground) ? "Foreground" : "Background";
}

void PlanDependent(const Json& object, bool has_dependents, const OwnerLookup& look_up,
                   GarbageStep& step) {
  Json there = Json::array();
  bool waiting = false;
  for (const Json& reference : OwnersOf(object)) {
    const OwnerState state = look_up(reference, object);
    if (state == OwnerState::kThere) there.push_back(reference);
    waiting = waiting || state == OwnerState::kWaiting;
  }
  if (there.size() == OwnersOf(object).size()) return;
  if (!there.empty()) {
    step.owners = std::move(there);
    return;
  }
  // Its own dependents go first, as its owner waits for all below.
  step.propagation = waiting && has_dependents ? "Foreground" : PropagationOf(object);
}

}  // namespace

bool HasFinalizer(const Json& object, const std::string& finalizer) {
  const Json* finalizers = Find(object, {"metadata", "finalizers"});
  return finalizers != nullptr &&
         std::ranges::find(*finalizers, Json(finalizer)) != finalizers->end();
}

Json OwnersWithout(const Json& object, const std::string& uid) {
  Json kept = Json::array();
  for (const Json& owner : OwnersOf(object)) {
    if (StringAt(owner, {"uid"}) != uid) kept.push_back(owner);
  }
  return kept;
}

GarbageStep PlanGarbage(const Json& object, const std::vector<const Json*>& dependents,
                        const OwnerLookup& look_up) {
  GarbageStep step;
  if (IsLeaving(object)) {
    PlanOwner(object, dependents, step);
  } else {
    PlanDependent(object, !dependents.empty(), look_up, step);
  }
  return step;
}

}  // namespace muster::e2e
