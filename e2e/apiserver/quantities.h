// Resource quantities as the API server keeps them: text, whatever the client wrote them as. The
// values stay as written ("1000m" does not become "1").
#pragma once

#include "e2e/apiserver/errors.h"

namespace muster::e2e {

// Of a pod: requests, limits and overhead. Of a node: capacity and allocatable. Refuses what is no
// quantity.
[[nodiscard]] Refusal TakePodQuantities(Json& pod);
[[nodiscard]] Refusal TakeNodeQuantities(Json& node);

}  // namespace muster::e2e
