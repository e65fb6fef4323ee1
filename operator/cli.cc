#include "operator/cli.h"

#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "controllers/text.h"
#include "operator/cli_servers.h"
#include "operator/cli_style.h"
#include "operator/configuration.h"
#include "operator/duration.h"
#include "operator/names.h"

namespace muster::app {

namespace {

// Of a name that is read from a flag.
CLI::Validator Checked(std::string (*problem_of)(std::string_view name)) {
  return {[problem_of](const std::string& name) { return problem_of(name); }, ""};
}

// Behind its text, the key of the configuration file that a flag overrides.
std::string WithKey(const std::string& text, const std::string& key) {
  return text + " [" + key + "]";
}

template <class Table>
CLI::Validator NameIn(const Table& table) {
  const auto check = [&table](const std::string& given) {
    std::string names;
    for (const auto& [name, value] : table) {
      if (name == given) return std::string();
      names.append(names.empty() ? "" : ", ").append(name);
    }
    return "expected one of " + names + ", not \"" + given + "\"";
  };
  return {check, ""};
}

template <class Table>
auto ValueOf(const Table& table, const std::string& given) {
  auto found = table.begin();
  while (found->first != given) ++found;  // It was checked.
  return found->second;
}

void AddLogging(CLI::App& app, LogOptions& log) {
  app.add_option("--log-file", log.file, "Append log lines to this file, not to stderr")
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--logging-format",
         [&log](const std::string& name) { log.format = ValueOf(kLogFormats, name); },
         WithKey("Form of the log lines: text, or json, an object in each", "logging.format"))
      ->check(NameIn(kLogFormats))
      ->default_str("text")
      ->type_name("NAME");
  CLI::Option* level =
      app.add_option_function<std::string>(
             "--log-level",
             [&log](const std::string& name) { log.level = ValueOf(kLogLevels, name); },
             WithKey("The least that is written: debug, info, warning or error", "logging.level"))
          ->check(NameIn(kLogLevels))
          ->default_str("info")
          ->type_name("NAME");
  constexpr std::int32_t kDebugVerbosity = 4;
  app.add_option_function<std::int32_t>(
         "-v,--v",
         [&log](const std::int32_t& verbosity) {
           log.level = verbosity < kDebugVerbosity ? ports::Level::kInfo : ports::Level::kDebug;
         },
         WithKey("As kube-scheduler's: 4 and more are --log-level=debug, less is info",
                 "logging.level"))
      ->check(CLI::Range(0, 10).description(""))
      ->excludes(level)
      ->type_name("NUMBER");
}

void AddElection(CLI::App& app, CliOptions& options) {
  controllers::LeaderElection& election = options.election;
  app.add_option(
         "--identity", options.identity,
         "Who this instance is, unlike every other that runs; a restart under the same one need "
         "not wait for its own lease to end (in a cluster: the uid of the pod)")
      ->envname("POD_UID")
      ->type_name("NAME");
  app.add_flag("--leader-elect", options.leader_elect,
               WithKey("Lead only while holding a Lease; =false where no second instance can ever "
                       "run",
                       "leaderElection.leaderElect"))
      ->default_str("true");
  app.add_option("--leader-elect-resource-name", election.name,
                 WithKey("Name of the Lease", "leaderElection.resourceName"))
      ->capture_default_str()
      ->check(Checked(ProblemOfSubdomain))
      ->type_name("NAME");
  app.add_option("--leader-elect-resource-namespace", election.ns,
                 WithKey("Namespace of the Lease; that of --namespace if not given",
                         "leaderElection.resourceNamespace"))
      ->check(Checked(ProblemOfLabel))
      ->type_name("NAME");
  const auto duration = [&app](const char* flag, std::int64_t& ms, const std::string& text) {
    const auto to_ms = [](std::string& value) -> std::string {
      const Result<std::int64_t> read = ParseDurationMs(value);
      if (!read.ok()) return read.error().message;
      value = std::to_string(read.value());
      return {};
    };
    app.add_option(flag, ms, text)
        ->transform(CLI::Validator(to_ms, ""))
        ->default_str(controllers::DurationText(ms))
        ->type_name("DURATION");
  };
  duration("--leader-elect-lease-duration", election.lease_ms,
           WithKey("Others wait so long after the last renewal that they saw",
                   "leaderElection.leaseDuration"));
  duration(
      "--leader-elect-renew-deadline", election.renew_deadline_ms,
      WithKey("A leader that could not renew for so long ends", "leaderElection.renewDeadline"));
  duration(
      "--leader-elect-retry-period", election.retry_period_ms,
      WithKey("Between two renewals, or two looks of a candidate", "leaderElection.retryPeriod"));
}

// Over what `start` says.
CliResult ParseFlags(int argc, const char* const* argv, CliOptions start) {
  CliResult result{.options = std::move(start), .exit = {}};
  CliOptions& options = result.options;
  CLI::App app("Muster places and binds GPU gangs on Kubernetes, whole or not at all.", "muster");
  SetStyle(app);
  app.footer(
      "SIGTERM or SIGINT ends it with exit code 0: it gives the Lease back and waits for that up "
      "to 1s.\nA second signal within that time changes nothing; a third, or a later one, ends it "
      "at once with 1.");
  app.set_version_flag("--version", "muster " MUSTER_VERSION);
  app.add_option("--config", options.config,
                 "File of kind MusterConfiguration; a flag overrides its key, which stands in [] "
                 "below")
      ->type_name("FILE");
  app.add_option("--kubeconfig", options.kubeconfig,
                 WithKey("File that says where the API server is and who we are; without it the "
                         "files of KUBECONFIG, or the service account of the pod that this runs "
                         "in, or $HOME/.kube/config",
                         "client.kubeconfig"))
      ->type_name("FILE");
  app.add_option("--namespace", options.ns, "Namespace of Muster's own objects, which must exist")
      ->capture_default_str()
      ->check(Checked(ProblemOfLabel))
      ->type_name("NAME");
  app.add_option("--scheduler-name", options.scheduler_name,
                 WithKey("Pods with this spec.schedulerName are Muster's", "schedulerName"))
      ->capture_default_str()
      ->check(Checked(ProblemOfSubdomain))
      ->type_name("NAME");
  AddServerFlags(app, options.servers);
  AddLogging(app, options.log);
  AddElection(app, options);
  // The library ends a parse, also one for --help, by throwing.
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    result.exit = app.exit(error) == 0 ? 0 : 2;
  }
  return result;
}

CliResult Refuse(CliResult result, const std::string& why) {
  std::cerr << "muster: " << why << "\n";
  result.exit = 2;
  return result;
}

}  // namespace

// The file's name is a flag, and the flags override the file: they are read twice.
CliResult ParseCommandLine(int argc, const char* const* argv) {
  CliOptions bare;
  bare.election.ns.clear();  // Until it is known that nobody says another than --namespace.
  CliResult result = ParseFlags(argc, argv, bare);
  if (result.exit) return result;
  if (const std::string file = result.options.config; !file.empty()) {
    CliOptions configured = bare;
    const Result<void> read = LoadConfiguration(file, configured);
    if (!read.ok()) return Refuse(std::move(result), read.error().message);
    result = ParseFlags(argc, argv, std::move(configured));
  }
  CliOptions& options = result.options;
  if (options.election.ns.empty()) options.election.ns = options.ns;
  const std::string problem = controllers::ProblemOf(options.election);
  if (options.leader_elect && !problem.empty()) return Refuse(std::move(result), problem);
  return result;
}

}  // namespace muster::app
