// What the process is told: by its command line, and by the file that --config names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/leader_election.h"
#include "controllers/page_fence.h"
#include "controllers/pod_condition_writer.h"
#include "operator/api_client.h"
#include "operator/logging.h"
#include "operator/server_options.h"
#include "scheduler/framework/policy.h"

namespace muster::app {

struct CliOptions {
  std::string config;      // "" = no file.
  std::string kubeconfig;  // --kubeconfig, else the file's; "" = not given.
  std::string ns = "muster-system";
  std::string scheduler_name = "muster";
  ServerOptions servers;
  LogOptions log;
  bool leader_elect = true;
  controllers::LeaderElection election;  // Without an identity.
  std::string identity;                  // "" = made up at the start.
  ApiClientOptions client;
  std::vector<scheduler::TopologyLevel> levels = scheduler::DefaultLevels();
  std::vector<scheduler::Policy::Use> plugins = scheduler::DefaultPlugins();
  scheduler::QueueTimes queue;
  bool autoscale_surplus = false;
  std::int32_t journal_pages = controllers::kPagesDefault;
  std::int64_t pod_grace_ms = controllers::kPodGraceMs;
};

struct CliResult {
  CliOptions options;
  std::optional<int> exit;  // Set: end with this code; the text (help, error) is printed.
};

// A flag overrides the file.
[[nodiscard]] CliResult ParseCommandLine(int argc, const char* const* argv);

}  // namespace muster::app
