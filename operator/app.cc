#include "operator/app.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include <unistd.h>

#include "controllers/manager.h"
#include "operator/api_client.h"
#include "operator/credentials.h"
#include "operator/environment.h"
#include "operator/find_cluster.h"
#include "operator/logging.h"
#include "operator/manager_options.h"
#include "operator/metrics.h"
#include "operator/preflight.h"
#include "operator/request_metrics.h"
#include "operator/servers.h"
#include "operator/signals.h"
#include "operator/telemetry.h"
#include "operator/thread_loop.h"

namespace muster::app {
namespace {

using controllers::Manager;
using ports::Level;

// So long the Lease is waited for that is given back, as --help says.
constexpr std::int64_t kStopMs = 1'000;

// This run of this host: two lives of a process are two holders of the journal.
std::string HolderName() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') return "muster";
  return std::string(host.data()) + "_" + std::to_string(::getpid()) + "_" +
         std::to_string(std::random_device{}());
}

std::string HostOf(const Endpoint& endpoint) {
  return endpoint.host + ":" + std::to_string(endpoint.port);
}

ApiClientOptions Counting(ApiClientOptions options, Metrics& metrics, const Endpoint& endpoint) {
  options.observer = CountRequests(metrics, HostOf(endpoint));
  return options;
}

// The parts of one run. The members that others refer to come first, so they go last.
class Operator {
 public:
  // `server`: its name in messages.
  Operator(const CliOptions& options, const Endpoint& endpoint, std::string server,
           const Logger& logger);

  // The text of a fatal error, or nullopt: ended by a signal.
  std::optional<std::string> Run();

 private:
  void Begin();
  void Stop();
  void Fatal(const std::string& why);
  void SayReady();
  [[nodiscard]] std::string address() const {
    return ports::TextOf(servers_.served().front().second);
  }

  const CliOptions options_;
  const std::string server_name_;
  const Logger& logger_;
  ThreadLoop loop_;
  Signals signals_;  // Before whatever has threads.
  Metrics metrics_;
  ProcessTelemetry telemetry_;
  ApiClient api_;
  Preflight preflight_;
  std::unique_ptr<Manager> manager_;  // From when the API server answered.
  Servers servers_;

  std::int64_t started_us_ = 0;
  std::optional<std::string> fatal_;
};

Operator::Operator(const CliOptions& options, const Endpoint& endpoint, std::string server,
                   const Logger& logger)
    : options_(options),
      server_name_(std::move(server)),
      logger_(logger),
      signals_(
          [this] {
            logger_.Log(Level::kInfo, "stopping on a signal");
            loop_.Post([this] { Stop(); });
          },
          std::chrono::milliseconds(kStopMs)),
      metrics_(options.scheduler_name),
      telemetry_(logger, metrics_),
      api_(endpoint, Counting(options.client, metrics_, endpoint), loop_, logger),
      preflight_({.api = api_,
                  .loop = loop_,
                  .telemetry = telemetry_,
                  .ns = options.ns,
                  .ready = [this] { Begin(); },
                  .fatal = [this](const std::string& why) { Fatal(why); }}),
      servers_({.loop = loop_,
                .metrics = metrics_,
                .api_server = server_name_,
                .manager = [this] { return manager_.get(); }},
               options.servers) {}

// Everything that may call back is ended before the first part goes: loop, server, client.
std::optional<std::string> Operator::Run() {
  started_us_ = telemetry_.Micros();
  // Before anything else: who waits for readiness can ask from the first moment, and a port that is
  // taken ends the process before it has written anything.
  const Result<void> serving = servers_.Start();
  // Their threads may wait for the loop, which does not run: it is stopped first.
  if (!serving.ok()) {
    loop_.Stop();
    return serving.error().message;  // Nothing is under way, and its line stands alone.
  }
  logger_.Log(Level::kInfo, "starting",
              {{"server", server_name_},
               {"namespace", options_.ns},
               {"scheduler_name", options_.scheduler_name},
               {"pid", ::getpid()}});
  logger_.Log(Level::kInfo, "serving", servers_.served());
  preflight_.Start();
  loop_.Run();
  loop_.Stop();
  servers_.Stop();
  api_.Stop();
  telemetry_.LogCounters();
  return fatal_;
}

// The namespace is there: what the journal writes has a place.
void Operator::Begin() {
  manager_ = std::make_unique<Manager>(
      Manager::Ports{.api = api_, .loop = loop_, .telemetry = telemetry_},
      ManagerOptionsOf(options_, options_.identity.empty() ? HolderName() : options_.identity),
      [this](const std::string& why) { Fatal(why); });
  manager_->OnReady([this] { SayReady(); });
  manager_->Start();
}

// The lease is given back first, so that the next leader need not wait for its end; an API server
// that does not answer holds nobody up.
void Operator::Stop() {
  if (manager_ == nullptr) return loop_.Stop();
  manager_->Stop([this] { loop_.Stop(); });
  loop_.After(kStopMs, [this] { loop_.Stop(); });
}

// The end is taken up by Run, outside of whoever calls this.
void Operator::Fatal(const std::string& why) {
  fatal_ = why;
  loop_.Stop();
}

void Operator::SayReady() {
  logger_.Log(Level::kInfo, "ready",
              {{"http", address()}, {"after_ms", (telemetry_.Micros() - started_us_) / 1000}});
  std::cout << "muster: ready, http://" << address() << std::endl;  // Flushed: it is awaited.
}

}  // namespace

int RunOperator(const CliOptions& options) {
  const auto fail = [](const std::string& why) {
    std::cerr << "muster: " << why << "\n";
    return 1;
  };
  const Result<ClusterAccess> access =
      FindCluster({.kubeconfig = options.kubeconfig, .environment = ProcessEnvironment()});
  if (!access.ok()) return fail(access.error().message);
  const Result<Endpoint> endpoint = OpenEndpoint(access.value());
  if (!endpoint.ok()) return fail(endpoint.error().message);
  const Result<Logger> logger = Logger::Open(options.log);
  if (!logger.ok()) return fail(logger.error().message);
  if (access.value().tls && !access.value().verify) {
    logger.value().Log(Level::kWarning, "the certificate of the API server is not verified",
                       {{"kubeconfig", access.value().origin}});
  }
  std::optional<std::string> fatal;
  {
    Operator run(options, endpoint.value(), ServerText(access.value()), logger.value());
    fatal = run.Run();
  }
  if (!fatal.has_value()) return 0;
  // On stderr without the form of a log line: a person reads it. Unless a program does.
  const bool json = options.log.file.empty() && options.log.format == LogFormat::kJson;
  if (json || !options.log.file.empty()) {
    logger.value().Log(Level::kError, "fatal", {{"err", *fatal}});
  }
  return json ? 1 : fail(*fatal);
}

}  // namespace muster::app
