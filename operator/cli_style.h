// How every program of this repository prints its flags and refuses a wrong one: as
// kube-scheduler's --help, each flag with its default, and one line for a mistake.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name.
class App;
}

namespace muster::app {

// Before anything is parsed. The app has a name.
void SetStyle(CLI::App& app);

}  // namespace muster::app
