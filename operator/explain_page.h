// What /explain answers: from the path to the JSON, or to the line that says what is not there.
// Loop thread only.
#pragma once

#include <string>
#include <vector>

#include "controllers/manager.h"
#include "operator/http_server.h"

namespace muster::app {

// `parts`: namespace, "podgroups" or "pods", name. `manager` may be nullptr: nothing is known yet.
[[nodiscard]] HttpAnswer ExplainPage(const controllers::Manager* manager,
                                     const std::vector<std::string>& parts);

}  // namespace muster::app
