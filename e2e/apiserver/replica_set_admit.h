// apps/v1 ReplicaSet: defaults and validation (k8s.io/kubernetes/pkg/apis/apps/validation).
#pragma once

#include "e2e/apiserver/errors.h"

namespace muster::e2e {

[[nodiscard]] Refusal AdmitNewReplicaSet(const Kind& kind, Json& set);
[[nodiscard]] Refusal AdmitReplicaSetChange(const Kind& kind, const Json& old, Json& next);

}  // namespace muster::e2e
