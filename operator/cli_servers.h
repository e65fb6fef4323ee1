// The flags that say where the process can be asked.
#pragma once

#include "operator/server_options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name.
class App;
}

namespace muster::app {

void AddServerFlags(CLI::App& app, ServerOptions& options);

}  // namespace muster::app
