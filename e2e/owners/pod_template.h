// A pod of a template, owned by whoever carries the template.
#pragma once

#include <string>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

// Without a name: `prefix` is what the server adds its five letters to.
[[nodiscard]] Json PodOfTemplate(const Json& owner, const std::string& prefix);

}  // namespace muster::e2e
