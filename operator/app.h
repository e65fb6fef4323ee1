// The process: composes loop, API client, controllers and server, and runs them until a signal or a
// fatal error.
#pragma once

#include "operator/cli.h"

namespace muster::app {

// The exit code: 0 after SIGTERM or SIGINT, 1 after an error, whose one line is on stderr, or after
// signals that did not wait for the end (signals.h).
[[nodiscard]] int RunOperator(const CliOptions& options);

}  // namespace muster::app
