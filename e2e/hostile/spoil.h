// Values as no client means them, as JSON text that need not be valid.
#pragma once

#include <string>

#include "e2e/apiserver/json.h"
#include "e2e/hostile/objects.h"
#include "e2e/sim/prng.h"

namespace muster::e2e {

// What stands in the place of `was`; not for kMissing. `tail` tells texts of one place apart, where
// a text that two objects share would be more than hostile.
[[nodiscard]] std::string SpoiltText(const Json& was, Spoil spoil, const std::string& tail,
                                     Prng& prng);
// The same of a whole body.
[[nodiscard]] std::string SpoiltBody(const std::string& body, Spoil spoil, Prng& prng);

}  // namespace muster::e2e
