// What a pod takes from a node: the one place that computes it, for filters, scores, the use of
// nodes and quota alike. Pure.
#pragma once

#include "crds/pod.h"

namespace muster::crds {

// The rules of Kubernetes' resource helpers. Per resource: the larger of what runs together in the
// end (containers and sidecars) and of the peak while the init containers run in order; where the
// pod states cpu, memory or hugepages for itself, that instead; overhead on top. A pod on a node
// counts what the kubelet has allocated or applied if that is more than spec (a resize under way),
// and spec not at all if the kubelet refused it as infeasible. Sorted; "pods" is not in it.
[[nodiscard]] ResourceList EffectiveRequest(const Pod& pod);

}  // namespace muster::crds
