// The cost of decisions and of events in the core, without an API server.
#pragma once

namespace muster::e2e {

void DecisionBench();

}  // namespace muster::e2e
