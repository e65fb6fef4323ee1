// The eviction of a pod (pods/eviction): a deletion that a PodDisruptionBudget may hold back, which
// is what `kubectl drain` sends (pkg/registry/core/pod/storage/eviction.go). The budget's status is
// the disruption controller's work.
#pragma once

#include "e2e/apiserver/backend.h"
#include "e2e/apiserver/request.h"

namespace muster::e2e {

[[nodiscard]] HttpResponse EvictPod(Backend& backend, const Target& target,
                                    const HttpRequest& request);

}  // namespace muster::e2e
