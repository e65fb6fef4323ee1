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
#include <vector>

#include <unistd.h>

#include "controllers/manager.h"
#include "operator/api_client.h"
#include "operator/credentials.h"
#include "operator/environment.h"
#include "operator/explain_page.h"
#include "operator/find_cluster.h"
#include "operator/http_server.h"
#include "operator/logging.h"
#include "operator/manager_options.h"
#include "operator/preflight.h"
#include "operator/signals.h"
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

// The parts of one run. The members that others refer to come first, so they go last.
class Operator {
 public:
  // `server`: its name in messages.
  Operator(const CliOptions& options, const Endpoint& endpoint, std::string server,
           const Logger& logger);

  // The text of a fatal error, or nullopt: ended by a signal.
  std::optional<std::string> Run();

 private:
  void Serve();
  void Begin();
  void Stop();
  void Fatal(const std::string& why);
  void SayReady();
  [[nodiscard]] HttpAnswer Ready() const;

  const CliOptions options_;
  const std::string server_name_;
  const Logger& logger_;
  ThreadLoop loop_;
  Signals signals_;  // Before whatever has threads.
  LogTelemetry telemetry_;
  ApiClient api_;
  Preflight preflight_;
  std::unique_ptr<Manager> manager_;  // From when the API server answered.
  HttpServer server_;

  std::int32_t port_ = 0;
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
      telemetry_(logger),
      api_(endpoint, options.client, loop_, logger),
      preflight_({.api = api_,
                  .loop = loop_,
                  .telemetry = telemetry_,
                  .ns = options.ns,
                  .ready = [this] { Begin(); },
                  .fatal = [this](const std::string& why) { Fatal(why); }}),
      server_(loop_, {}) {}

// Everything that may call back is ended before the first part goes: loop, server, client.
std::optional<std::string> Operator::Run() {
  started_us_ = telemetry_.Micros();
  Serve();
  if (fatal_.has_value()) return fatal_;  // Nothing is under way, and its line stands alone.
  logger_.Log(Level::kInfo, "starting",
              {{"server", server_name_},
               {"namespace", options_.ns},
               {"scheduler_name", options_.scheduler_name},
               {"pid", ::getpid()}});
  logger_.Log(Level::kInfo, "serving", {{"http", "127.0.0.1:" + std::to_string(port_)}});
  preflight_.Start();
  loop_.Run();
  loop_.Stop();
  server_.Stop();
  api_.Stop();
  telemetry_.LogCounters();
  return fatal_;
}

// Before anything else: who waits for readiness can ask from the first moment, and a port that is
// taken ends the process before it has written anything.
void Operator::Serve() {
  server_.Get("/healthz",
              [](const std::vector<std::string>&) { return HttpAnswer{.body = "ok\n"}; });
  server_.Get("/readyz", [this](const std::vector<std::string>&) { return Ready(); });
  server_.Get("/explain/([^/]+)/(podgroups|pods)/([^/]+)",
              [this](const auto& parts) { return ExplainPage(manager_.get(), parts); });
  const Result<std::int32_t> port = server_.Start(options_.http_port);
  if (!port.ok()) return Fatal(port.error().message);
  port_ = port.value();
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
              {{"http", "127.0.0.1:" + std::to_string(port_)},
               {"after_ms", (telemetry_.Micros() - started_us_) / 1000}});
  std::cout << "muster: ready, http://127.0.0.1:" << port_ << std::endl;  // Flushed: it is awaited.
}

// The body says what it waits for: a probe shows it to whoever looks why.
HttpAnswer Operator::Ready() const {
  if (manager_ == nullptr) {
    return {.status = 503, .body = "not ready: no answer of the API server " + server_name_ + "\n"};
  }
  // As kube-scheduler: a standby is ready, to take over.
  if (!manager_->leading()) {
    const std::string holder = manager_->leader();
    if (holder.empty())
      return {.status = 503, .body = "not ready: the lease is not held by anybody\n"};
    return {.body = "ok, standing by: the lease is held by " + holder + "\n"};
  }
  if (!manager_->synced()) {
    return {.status = 503, .body = "not ready: a list is not complete, or a watch is cut off\n"};
  }
  return {.body = "ok\n"};
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
