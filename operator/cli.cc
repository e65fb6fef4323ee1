#include "operator/cli.h"

#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "controllers/text.h"
#include "operator/cli_style.h"
#include "operator/duration.h"
#include "operator/names.h"

namespace muster::app {

namespace {

// An empty name would be asked for again and again.
std::string ProblemOfAny(std::string_view name) {
  return name.empty() ? "a name is needed" : "";
}

// Of a name that is read from a flag.
CLI::Validator Checked(std::string (*problem_of)(std::string_view name)) {
  return {[problem_of](const std::string& name) { return problem_of(name); }, ""};
}

void AddElection(CLI::App& app, CliOptions& options) {
  controllers::LeaderElection& election = options.election;
  election.ns.clear();
  app.add_option(
         "--identity", options.identity,
         "Who this instance is, unlike every other that runs; a restart under the same one need "
         "not wait for its own lease to end (in a cluster: the uid of the pod)")
      ->envname("POD_UID")
      ->type_name("NAME");
  app.add_flag("--leader-elect", options.leader_elect,
               "Lead only while holding a Lease; =false where no second instance can ever run")
      ->default_str("true");
  app.add_option("--leader-elect-resource-name", election.name, "Name of the Lease")
      ->capture_default_str()
      ->check(Checked(ProblemOfSubdomain))
      ->type_name("NAME");
  app.add_option("--leader-elect-resource-namespace", election.ns,
                 "Namespace of the Lease; that of --namespace if not given")
      ->check(Checked(ProblemOfLabel))
      ->type_name("NAME");
  const auto duration = [&app](const char* flag, std::int64_t& ms, const char* text) {
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
           "Others wait so long after the last renewal that they saw");
  duration("--leader-elect-renew-deadline", election.renew_deadline_ms,
           "A leader that could not renew for so long ends");
  duration("--leader-elect-retry-period", election.retry_period_ms,
           "Between two renewals, or two looks of a candidate");
}

}  // namespace

CliResult ParseCommandLine(int argc, const char* const* argv) {
  CliResult result;
  CliOptions& options = result.options;
  CLI::App app("Muster places and binds GPU gangs on Kubernetes, whole or not at all.", "muster");
  SetStyle(app);
  app.footer(
      "SIGTERM or SIGINT ends it with exit code 0: it gives the Lease back and waits for that up "
      "to 1s.\nA second signal within that time changes nothing; a third, or a later one, ends it "
      "at once with 1.");
  app.set_version_flag("--version", "muster " MUSTER_VERSION);
  app.add_option("--kubeconfig", options.kubeconfig,
                 "File that says where the API server is and who we are; without it the files of "
                 "KUBECONFIG, or the service account of the pod that this runs in, or "
                 "$HOME/.kube/config")
      ->type_name("FILE");
  app.add_option("--namespace", options.ns, "Namespace of Muster's own objects, which must exist")
      ->capture_default_str()
      ->check(Checked(ProblemOfLabel))
      ->type_name("NAME");
  app.add_option("--scheduler-name", options.scheduler_name,
                 "Pods with this spec.schedulerName are Muster's")
      ->capture_default_str()
      ->check(Checked(ProblemOfAny))
      ->type_name("NAME");
  app.add_option("--http-port", options.http_port,
                 "Port on 127.0.0.1 of /healthz, /readyz and /explain; 0 = any free one")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535).description(""))
      ->type_name("PORT");
  app.add_option("--log-file", options.log_file, "Append log lines to this file, not to stderr")
      ->type_name("FILE");
  AddElection(app, options);
  // The library ends a parse, also one for --help, by throwing.
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    result.exit = app.exit(error) == 0 ? 0 : 2;
  }
  if (options.election.ns.empty()) options.election.ns = options.ns;
  const std::string problem = controllers::ProblemOf(options.election);
  if (!result.exit && options.leader_elect && !problem.empty()) {
    std::cerr << "muster: " << problem << "\n";
    result.exit = 2;
  }
  return result;
}

}  // namespace muster::app
