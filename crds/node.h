// core/v1 Node, the fields that Muster reads.
#pragma once

#include <cstdint>
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

// One image under its names; the kubelet leaves out all but the largest.
struct NodeImage {
  std::vector<std::string> names;
  std::int64_t size_bytes = 0;
  friend bool operator==(const NodeImage&, const NodeImage&) = default;
};

struct Node {
  ObjectMeta meta;
  bool unschedulable = false;
  std::vector<Taint> taints;
  ResourceList allocatable;  // With "pods".
  bool ready = false;        // Condition Ready is True.
  std::vector<NodeImage> images;
  friend bool operator==(const Node&, const Node&) = default;
};

}  // namespace muster::crds
