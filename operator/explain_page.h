// What /explain answers: from the path to the JSON, or to the line that says what is not there.
// Loop thread only.
#pragma once

#include <string>
#include <vector>

#include "controllers/manager.h"
#include "operator/http_server.h"
#include "operator/ready_page.h"

namespace muster::app {

// `parts`: namespace, "podgroups" or "pods", name. That something is not there is said by an
// instance that decides alone; of others it is 503, with what they wait for. `manager` may be
// nullptr: nothing is known yet.
[[nodiscard]] HttpAnswer ExplainPage(const controllers::Manager* manager,
                                     const Readiness& readiness,
                                     const std::vector<std::string>& parts);

}  // namespace muster::app
