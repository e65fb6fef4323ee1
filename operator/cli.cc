#include "operator/cli.h"

#include <CLI/CLI.hpp>

namespace muster::app {

CliResult ParseCommandLine(int argc, const char* const* argv) {
  CliResult result;
  CliOptions& options = result.options;
  CLI::App app("Muster places and binds GPU gangs on Kubernetes, whole or not at all.", "muster");
  app.set_version_flag("--version", "muster " MUSTER_VERSION);
  app.add_option("--kubeconfig", options.kubeconfig,
                 "File that says where the API server is (an http:// server; its user's token)")
      ->envname("KUBECONFIG")
      ->type_name("FILE");
  app.add_option("--namespace", options.ns, "Namespace of Muster's own objects, which must exist")
      ->capture_default_str()
      ->type_name("NAME");
  app.add_option("--scheduler-name", options.scheduler_name,
                 "Pods with this spec.schedulerName are Muster's")
      ->capture_default_str()
      ->type_name("NAME");
  app.add_option("--http-port", options.http_port,
                 "Port on 127.0.0.1 of /healthz, /readyz and /explain; 0 = any free one")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT");
  app.add_option("--log-file", options.log_file, "Append log lines to this file, not to stderr")
      ->type_name("FILE");
  // The library ends a parse, also one for --help, by throwing.
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    result.exit = app.exit(error) == 0 ? 0 : 2;
  }
  return result;
}

}  // namespace muster::app
