// Whether a label selector can be used at all. The schema cannot say this; built-in kinds are
// checked so by the API server. Matching is the scheduler's. Pure.
#pragma once

#include <string_view>

#include "crds/queue.h"
#include "scheduler/base/result.h"

namespace muster::crds {

// metav1.LabelSelector's rules: keys and values are label keys and values, In and NotIn have
// values, Exists and DoesNotExist have none. The Error names the field below the selector:
// "matchExpressions[0].values: expected none with operator Exists".
[[nodiscard]] Result<void> CheckLabelSelector(const LabelSelector& selector);

// "team", "example.org/team".
[[nodiscard]] bool IsLabelKey(std::string_view text);
// At most 63 characters; "" is one.
[[nodiscard]] bool IsLabelValue(std::string_view text);

}  // namespace muster::crds
