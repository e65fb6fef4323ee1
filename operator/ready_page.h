// What /readyz says, and whoever else must know it: is this instance ready, and can it answer for
// gangs. Loop thread only.
#pragma once

#include <string>

#include "controllers/manager.h"
#include "operator/http_server.h"

namespace muster::app {

struct Readiness {
  bool ready = false;
  bool decides = false;  // It leads and all is listed: what it does not know does not exist.
  std::string text;      // Why it does not decide; "" when it does.
};

// `manager` may be nullptr: no answer of the API server yet, which is `server`.
[[nodiscard]] Readiness ReadinessOf(const controllers::Manager* manager, const std::string& server);
// The body says what it waits for: a probe shows it to whoever looks why.
[[nodiscard]] HttpAnswer ReadyPage(const Readiness& readiness);

}  // namespace muster::app
