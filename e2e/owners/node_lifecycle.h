// The decisions of node-lifecycle-controller and taint-eviction-controller about one node, as pure
// functions: a node whose lease is not renewed becomes Unknown, its condition becomes taints, and a
// pod that tolerates a NoExecute taint for a while goes when that is over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

struct NodeOptions {
  std::int64_t grace_ms = 50'000;  // node-monitor-grace-period; 0 = nodes are left alone.
};

// The conditions with those that a kubelet writes turned to Unknown, or null: nothing to change.
[[nodiscard]] Json UnknownConditions(const Json& node, std::int64_t now_ms);
// The taints with those that the Ready condition asks for, or null: nothing to change.
[[nodiscard]] Json TaintsByCondition(const Json& node, std::int64_t now_ms);
// It has a NoExecute taint.
[[nodiscard]] bool Evicts(const Json& node);
// When the node's NoExecute taints remove the pod; nothing: never.
[[nodiscard]] std::optional<std::int64_t> EvictionTime(const Json& node, const Json& pod);

}  // namespace muster::e2e
