#include "operator/configuration.h"

#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/leader_election.h"
#include "controllers/page_fence.h"
#include "controllers/text.h"
#include "operator/bind_address.h"
#include "operator/config.h"
#include "operator/config_plugins.h"
#include "operator/config_section.h"
#include "operator/json_text.h"
#include "operator/names.h"

namespace muster::app {
namespace {

constexpr std::string_view kApiVersion = "config.muster.dev/v1alpha1";
constexpr std::string_view kKind = "MusterConfiguration";

constexpr std::int64_t kSecondMs = 1'000;
constexpr std::int64_t kMinuteMs = 60 * kSecondMs;
constexpr std::int64_t kHourMs = 60 * kMinuteMs;
// What is wrong with it says ProblemOf of the whole election.
constexpr ConfigSection::Range kAnyDuration{0, std::numeric_limits<std::int64_t>::max()};
// More threads than that only wait for each other.
constexpr ConfigSection::Range kConnections{1, 256};

std::string ProblemOfPath(std::string_view /*any; "" = as if it were not there*/) {
  return {};
}

template <const std::string_view& kWanted>
std::string ProblemOfType(std::string_view text) {
  if (text == kWanted) return {};
  return "expected " + Quoted(kWanted) + ", not " + Quoted(text.substr(0, 64));
}

void ReadType(ConfigSection& in, ConfigReport& report) {
  std::string api_version;
  std::string kind;
  in.String("apiVersion", api_version, ProblemOfType<kApiVersion>);
  in.String("kind", kind, ProblemOfType<kKind>);
  if (api_version.empty())
    report.AddOfSeveral(0, "apiVersion is missing: " + std::string(kApiVersion));
  if (kind.empty()) report.AddOfSeveral(0, "kind is missing: " + std::string(kKind));
}

// Names as kube-scheduler's LeaderElectionConfiguration has them.
void ReadElection(ConfigSection& in, CliOptions& options) {
  controllers::LeaderElection& election = options.election;
  in.Bool("leaderElect", options.leader_elect);
  in.DurationMs("leaseDuration", election.lease_ms, kAnyDuration);
  in.DurationMs("renewDeadline", election.renew_deadline_ms, kAnyDuration);
  in.DurationMs("retryPeriod", election.retry_period_ms, kAnyDuration);
  in.String("resourceName", election.name, ProblemOfSubdomain);
  in.String("resourceNamespace", election.ns, ProblemOfLabel);
  const std::string problem = controllers::ProblemOf(election);
  if (!problem.empty()) in.Refuse(problem);
}

void ReadClient(ConfigSection& in, CliOptions& options) {
  ApiClientOptions& client = options.client;
  in.String("kubeconfig", options.kubeconfig, ProblemOfPath);
  in.Integer("bindConnections", client.bind_connections, kConnections);
  in.Integer("removalConnections", client.removal_connections, kConnections);
  in.Integer("statusConnections", client.status_connections, kConnections);
  in.DurationMs("connectTimeout", client.http.connect_ms, {100, kMinuteMs});
  in.DurationMs("readTimeout", client.http.read_ms, {kSecondMs, 10 * kMinuteMs});
  in.DurationMs("writeTimeout", client.http.write_ms, {kSecondMs, 10 * kMinuteMs});
  in.DurationMs("idleTimeout", client.http.idle_ms, {kSecondMs, 10 * kMinuteMs});
  // A watch is silent for longer than an answer takes: its reads have a time-out of their own.
  client.watch.http.connect_ms = client.http.connect_ms;
  client.watch.http.write_ms = client.http.write_ms;
}

void ReadJournal(ConfigSection& in, CliOptions& options) {
  in.Integer("pages", options.journal_pages, {1, controllers::kPagesMax});
}

void ReadPodStatus(ConfigSection& in, CliOptions& options) {
  in.DurationMs("grace", options.pod_grace_ms, {0, kHourMs});
}

void ReadAutoscaling(ConfigSection& in, CliOptions& options) {
  in.Bool("surplus", options.autoscale_surplus);
}

// Whatever the file names takes the place of all that hold without it.
void ReadTopology(ConfigSection& in, CliOptions& options) {
  std::vector<scheduler::TopologyLevel> levels;
  const bool named = in.Each("levels", [&](ConfigSection& level) {
    scheduler::TopologyLevel& one = levels.emplace_back();
    level.String("name", one.name, ProblemOfLabel);
    level.String("nodeLabel", one.node_label, ProblemOfLabelKey);
  });
  if (!named) return;
  options.levels = levels;
  const Result<void> usable = scheduler::Policy().SetLevels(std::move(levels));
  if (!usable.ok()) in.Refuse(usable.error().message);
}

void ReadQueue(ConfigSection& in, CliOptions& options) {
  scheduler::BackoffRange& backoff = options.queue.backoff;
  in.DurationMs("initialBackoff", backoff.first_ms, {100, kHourMs});
  in.DurationMs("maxBackoff", backoff.max_ms, {100, kHourMs});
  in.DurationMs("unschedulableFlush", options.queue.unschedulable_flush_ms,
                {10 * kSecondMs, 24 * kHourMs});
  if (backoff.first_ms <= backoff.max_ms) return;
  in.Refuse("the initial backoff (" + controllers::DurationText(backoff.first_ms) +
            ") must not be longer than the max backoff (" +
            controllers::DurationText(backoff.max_ms) + ")");
}

void ReadAddress(ConfigSection& in, std::optional<BindAddress>& address,
                 ConfigSection::Check problem_of) {
  std::string text;
  in.String("bindAddress", text, problem_of);
  if (auto read = ParseBindAddress(text); read.ok()) address = std::move(read).value();
}

void ReadServers(ConfigSection& in, ServerOptions& servers) {
  in.Section("metrics",
             [&](ConfigSection& s) { ReadAddress(s, servers.metrics, ProblemOfAddress); });
  in.Section("health", [&](ConfigSection& s) { ReadAddress(s, servers.health, ProblemOfAddress); });
  in.Section("grpc", [&](ConfigSection& s) { ReadAddress(s, servers.grpc, ProblemOfLoopback); });
}

void ReadLogging(ConfigSection& in, CliOptions& options) {
  in.Choice("format", options.log.format, kLogFormats);
  in.Choice("level", options.log.level, kLogLevels);
}

Result<void> ReadTree(const ConfigNode& root, ConfigReport& report, CliOptions& options) {
  ConfigSection::ReadAll(root, report, [&](ConfigSection& in) {
    ReadType(in, report);
    in.String("schedulerName", options.scheduler_name, ProblemOfSubdomain);
    in.Section("leaderElection", [&](ConfigSection& s) { ReadElection(s, options); });
    in.Section("client", [&](ConfigSection& s) { ReadClient(s, options); });
    in.Section("journal", [&](ConfigSection& s) { ReadJournal(s, options); });
    in.Section("podStatus", [&](ConfigSection& s) { ReadPodStatus(s, options); });
    in.Section("autoscaling", [&](ConfigSection& s) { ReadAutoscaling(s, options); });
    in.Section("topology", [&](ConfigSection& s) { ReadTopology(s, options); });
    in.Section("plugins", [&](ConfigSection& s) { ReadPlugins(s, options.plugins); });
    in.Section("queue", [&](ConfigSection& s) { ReadQueue(s, options); });
    ReadServers(in, options.servers);
    in.Section("logging", [&](ConfigSection& s) { ReadLogging(s, options); });
  });
  return report.result();
}

}  // namespace

Result<void> LoadConfiguration(const std::string& path, CliOptions& options) {
  std::ifstream file(path);
  std::ostringstream text;
  // An empty file is no failure to read, and this would take it for one.
  const bool is_empty = file && file.peek() == std::ifstream::traits_type::eof() && !file.bad();
  if (!is_empty && (!file || !(text << file.rdbuf()))) {
    return Error{Code::kNotFound, path + ": cannot be read"};
  }
  return ReadConfiguration(text.str(), path, options);
}

Result<void> ReadConfiguration(const std::string& yaml, const std::string& file,
                               CliOptions& options) {
  MUSTER_ASSIGN(const ConfigNode root, ParseConfig(yaml, file));
  ConfigReport report(file);
  return ReadTree(root, report, options);
}

std::vector<std::string> ConfigurationKeys() {
  ConfigReport report("");
  CliOptions options;
  (void)ReadTree(ConfigNode(), report, options);  // Nothing is there, not even its type.
  return report.keys();
}

}  // namespace muster::app
