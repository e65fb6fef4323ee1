// The command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "controllers/leader_election.h"

namespace muster::app {

struct CliOptions {
  std::string kubeconfig;  // "" = not given.
  std::string ns = "muster-system";
  std::string scheduler_name = "muster";
  std::int32_t http_port = 10251;
  std::string log_file;  // "" = stderr.
  bool leader_elect = true;
  controllers::LeaderElection election;  // Without an identity.
  std::string identity;                  // "" = made up at the start.
};

struct CliResult {
  CliOptions options;
  std::optional<int> exit;  // Set: end with this code; the text (help, error) is printed.
};

[[nodiscard]] CliResult ParseCommandLine(int argc, const char* const* argv);

}  // namespace muster::app
