// Counts the requests to the API server, as client-go names them.
#pragma once

#include <string>

#include "operator/http_client.h"
#include "operator/metrics.h"

namespace muster::app {

// `host`: of the API server, with its port. `metrics` outlives whoever holds the observer.
[[nodiscard]] HttpObserver CountRequests(Metrics& metrics, std::string host);

}  // namespace muster::app
