// From what the process was told to what its controllers are. Pure.
#pragma once

#include <string>

#include "controllers/manager.h"
#include "operator/cli.h"

namespace muster::app {

// holder: this instance, unlike every other.
[[nodiscard]] controllers::ManagerOptions ManagerOptionsOf(const CliOptions& options,
                                                           std::string holder);

}  // namespace muster::app
