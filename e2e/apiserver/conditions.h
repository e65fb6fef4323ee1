// The conditions in an object's status. Pure.
#pragma once

#include <string>
#include <string_view>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

// The first of the type, or nullptr.
[[nodiscard]] const Json* FindCondition(const Json& object, std::string_view type);
[[nodiscard]] bool HasTrueCondition(const Json& object, std::string_view type);

// Sets a condition; lastTransitionTime moves only when the status does.
void SetCondition(Json& object, const std::string& type, Json condition, const std::string& now);

}  // namespace muster::e2e
