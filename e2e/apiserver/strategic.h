// Strategic merge patch for the built-in kinds: objects merge, lists that have a merge key merge by
// it, other lists are replaced.
#pragma once

#include <string>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

// `patch` is an object. An error is a text; then `object` is in no defined state.
[[nodiscard]] std::string StrategicMerge(Json& object, const Json& patch);

}  // namespace muster::e2e
