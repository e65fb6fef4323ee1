// core/v1 Node, the fields that Muster reads.
#pragma once

#include <string>
#include <vector>

#include "crds/meta.h"
#include "crds/pod.h"

namespace muster::crds {

// effect: NoSchedule, PreferNoSchedule or NoExecute.
struct Taint {
  std::string key, value, effect;
  friend bool operator==(const Taint&, const Taint&) = default;
};

struct Node {
  ObjectMeta meta;
  bool unschedulable = false;
  std::vector<Taint> taints;
  ResourceList allocatable;  // With "pods".
  bool ready = false;        // Condition Ready is True.
  friend bool operator==(const Node&, const Node&) = default;
};

}  // namespace muster::crds
