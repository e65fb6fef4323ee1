// A credential plugin of client-go, as a kubeconfig's `users[].user.exec` names it: a program that
// is run, and says on its standard output who we are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "crds/exec_credential.h"
#include "operator/environment.h"
#include "operator/thread_loop.h"
#include "scheduler/base/result.h"

namespace muster::app {

struct ExecPlugin {
  std::string api_version{};  // client.authentication.k8s.io/v1 or v1beta1.
  std::string command{};
  std::vector<std::string> arguments{};
  Environment environment{};   // Over ours.
  std::string install_hint{};  // Shown where the program is missing.
  bool provide_cluster_info = false;
};

// Runs it once. `cluster` is told if the plugin is to know it. Every error is one line, begins with
// the command, and never holds what the plugin has said.
[[nodiscard]] Result<crds::ExecStatus> RunExecPlugin(const ExecPlugin& plugin,
                                                     const crds::ExecCluster& cluster,
                                                     std::int64_t patience_ms,
                                                     const StopFlag& stop);

// What it wrote, as a credential of that version. Pure.
[[nodiscard]] Result<crds::ExecStatus> ReadExecOutput(const std::string& api_version,
                                                      std::string_view text);

}  // namespace muster::app
