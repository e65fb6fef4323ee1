#include "operator/cli_servers.h"

#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace muster::app {
namespace {

void AddAddress(CLI::App& app, const std::string& flag, std::optional<BindAddress>& address,
                std::string (*problem_of)(std::string_view), const std::string& help) {
  app.add_option_function<std::string>(
         flag, [&address](const std::string& text) { address = ParseBindAddress(text).value(); },
         help)
      ->check(
          CLI::Validator([problem_of](const std::string& text) { return problem_of(text); }, ""))
      ->default_str("0")
      ->type_name("ADDRESS:PORT");
}

}  // namespace

void AddServerFlags(CLI::App& app, ServerOptions& options) {
  app.add_option("--http-port", options.http_port,
                 "Port on 127.0.0.1 of /healthz, /readyz, /metrics and /explain; 0 = any free one")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535).description(""))
      ->type_name("PORT");
  const std::string open = ", in plain text and to whoever asks; 0 = only on --http-port";
  AddAddress(app, "--metrics-bind-address", options.metrics, ProblemOfAddress,
             "Serve /metrics there too (:8080 = on every IPv4 address), for what scrapes it" +
                 open + " [metrics.bindAddress]");
  AddAddress(app, "--health-probe-bind-address", options.health, ProblemOfAddress,
             "Serve /healthz and /readyz there too, for the probes of a kubelet" + open +
                 " [health.bindAddress]");
  AddAddress(app, "--grpc-bind-address", options.grpc, ProblemOfLoopback,
             "Serve gRPC there (muster.v1alpha1.Explainer, grpc.health.v1, reflection): on "
             "loopback alone, since it is in plain text and without authentication; 0 = not at "
             "all [grpc.bindAddress]");
}

}  // namespace muster::app
