// The configuration file of --config: kind MusterConfiguration of config.muster.dev/v1alpha1. Every
// key that there is acts; config/manager/muster.yaml has each at its default.
#pragma once

#include <string>
#include <vector>

#include "operator/cli.h"
#include "scheduler/base/result.h"

namespace muster::app {

// Puts what the file says into `options`. Every error is one line: "<path>:<line>: <what>".
[[nodiscard]] Result<void> LoadConfiguration(const std::string& path, CliOptions& options);

// The file's text. Of one that is wrong, `options` may have a part.
[[nodiscard]] Result<void> ReadConfiguration(const std::string& yaml, const std::string& file,
                                             CliOptions& options);

// The path of every key that may stand in a file: "leaderElection.leaseDuration".
[[nodiscard]] std::vector<std::string> ConfigurationKeys();

}  // namespace muster::app
