// Planted faults, each with the scripted schedule that must show it. They are planted on the wire
// or in a plugin of the operator's policy, so that the product carries none. A simulation that
// stays green under one of them sees nothing.
#pragma once

#include <string>
#include <vector>

#include "e2e/sim/world.h"

namespace muster::e2e {

struct Canary {
  std::string name;
  std::string says;      // What a violation of it must contain.
  WorldOptions options;  // Without `plant`, this schedule is green.
};

// never-binds, dropped-binding, doubled-node, get-frees, lost-wakeup.
[[nodiscard]] std::vector<Canary> Canaries(const std::string& crds_folder);

}  // namespace muster::e2e
