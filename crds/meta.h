// The parts of ObjectMeta that Muster reads, and metav1.Condition.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::crds {

using StringMap = std::map<std::string, std::string, std::less<>>;

// Who made an object: the controller among the owners makes it again when it is gone.
struct OwnerReference {
  std::string api_version, kind, name, uid;
  bool controller = false;
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

struct ObjectMeta {
  std::string name, ns, uid, resource_version;
  std::int64_t generation = 0;
  std::int64_t creation_ms = 0;             // Since 1970 UTC; 0 = not set.
  std::optional<std::int64_t> deletion_ms;  // deletionTimestamp, the grace included.
  StringMap labels, annotations;
  std::vector<OwnerReference> owners;
  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

struct Condition {
  std::string type, status, reason, message;
  std::int64_t observed_generation = 0;
  std::int64_t last_transition_ms = 0;
  friend bool operator==(const Condition&, const Condition&) = default;
};

}  // namespace muster::crds
