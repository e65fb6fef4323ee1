// batch/v1 Job: defaults, the selector and labels that the server adds, validation
// (k8s.io/kubernetes/pkg/registry/batch/job and pkg/apis/batch/validation), as far as a Job here
// can act on a field.
#pragma once

#include "e2e/apiserver/errors.h"

namespace muster::e2e {

[[nodiscard]] Refusal AdmitNewJob(const Kind& kind, Json& job);
[[nodiscard]] Refusal AdmitJobChange(const Kind& kind, const Json& old, Json& next);

}  // namespace muster::e2e
