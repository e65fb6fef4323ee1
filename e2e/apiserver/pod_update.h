// What of a pod may change after it was made, in the words of the API server. Gates may only go;
// while there are gates, node selection may be narrowed.
#pragma once

#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/meta.h"

namespace muster::e2e {

[[nodiscard]] Refusal AdmitPodChange(const Kind& kind, const Json& old, Json& next,
                                     const UpdateRules& rules);

}  // namespace muster::e2e
