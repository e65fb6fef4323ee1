// Which filters and scores act, as a configuration file says it. Pure.
#pragma once

#include <vector>

#include "operator/config_section.h"
#include "scheduler/framework/policy.h"

namespace muster::app {

// `filter`, a list of names in the order in which they act, and `score[] {name, weight, args}`,
// each in the place of all the filters or scores of `uses`. What is neither stays.
void ReadPlugins(ConfigSection& in, std::vector<scheduler::Policy::Use>& uses);

}  // namespace muster::app
