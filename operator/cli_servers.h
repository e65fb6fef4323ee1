// The flags that say where the process can be asked.
#pragma once

#include "operator/server_options.h"

namespace CLI {
class App;
}

namespace muster::app {

void AddServerFlags(CLI::App& app, ServerOptions& options);

}  // namespace muster::app
