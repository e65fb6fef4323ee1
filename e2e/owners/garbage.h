// The garbage collector's decision about one object (pkg/controller/garbagecollector): it goes when
// none of its owners is left, and the finalizers of foreground and orphaning deletion come off when
// their work is done.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

enum class OwnerState : std::uint8_t {
  kThere,
  kAbsent,
  kWaiting,  // It is deleted in the foreground, after its dependents.
};

// As asked of the API server, once the cache does not know it.
using OwnerLookup = std::function<OwnerState(const Json& reference, const Json& dependent)>;

struct GarbageStep {
  std::string propagation;           // Not "": the object is deleted with it.
  std::optional<Json> owners;        // What its ownerReferences become; [] takes them away.
  std::optional<Json> finalizers;    // What its finalizers become; likewise.
  std::vector<std::string> release;  // UIDs of dependents that lose it as an owner.
  std::vector<std::string> look_at;  // UIDs of dependents that may go now.
};

[[nodiscard]] GarbageStep PlanGarbage(const Json& object,
                                      const std::vector<const Json*>& dependents,
                                      const OwnerLookup& look_up);

// The ownerReferences without that owner.
[[nodiscard]] Json OwnersWithout(const Json& object, const std::string& uid);
[[nodiscard]] bool HasFinalizer(const Json& object, const std::string& finalizer);

}  // namespace muster::e2e
