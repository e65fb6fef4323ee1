#include "operator/servers.h"

#include <string_view>
#include <utility>
#include <vector>

#include "operator/explain_page.h"
#include "operator/http_server.h"
#include "operator/loop_question.h"
#include "operator/ready_page.h"
#include "operator/rpc/explain_service.h"

namespace muster::app {
namespace {

using Parts = std::vector<std::string>;

constexpr std::int64_t kAnswerMs = 2'000;
constexpr std::int64_t kTotalsMs = 1'000;

HttpAnswer AliveNow() {
  return {.body = "ok\n"};
}

}  // namespace

struct Servers::State {
  State(World given, ServerOptions chosen)
      : world(std::move(given)),
        options(std::move(chosen)),
        http(world.loop, {.answer_ms = kAnswerMs}),
        metrics(world.loop, {.answer_ms = kAnswerMs}),
        health(world.loop, {.answer_ms = kAnswerMs}),
        rpc({.live = [this] { return AskLoop(world.loop, kAnswerMs, AliveNow); },
             .ready = [this] { return AskLoop(world.loop, kAnswerMs, [this] { return Ready(); }); },
             .explain =
                 [this](const Parts& parts) {
                   return AskLoop(world.loop, kAnswerMs, [this, parts] { return Explain(parts); });
                 }},
            {}) {
    AddHealth(http);
    AddMetrics(http);
    http.Get("/explain/([^/]+)/(podgroups|pods)/([^/]+)",
             [this](const Parts& parts) { return Explain(parts); });
    AddHealth(health);
    AddMetrics(metrics);
  }

  void AddHealth(HttpServer& server) {
    server.Get("/healthz", [](const Parts&) { return AliveNow(); });
    server.Get("/readyz", [this](const Parts&) { return Ready(); });
  }
  // What is counted when asked for is asked of the loop; all else may be read while the loop works,
  // or hangs.
  void AddMetrics(HttpServer& server) {
    server.GetOffLoop("/metrics", [this](const Parts&) {
      (void)AskLoop(world.loop, kAnswerMs, [this] {
        ShowTotals();
        return HttpAnswer{};
      });
      return HttpAnswer{.content_type = Metrics::kContentType, .body = world.metrics.Text()};
    });
  }
  // On the loop. Whoever asks more often reads the last count.
  void ShowTotals() {
    const std::int64_t now_ms = world.loop.now().mono.ms;
    if (world.manager() == nullptr || now_ms < totals_again_ms) return;
    totals_again_ms = now_ms + kTotalsMs;
    world.manager()->ShowTotals();
  }
  [[nodiscard]] Readiness ReadinessNow() const {
    return ReadinessOf(world.manager(), world.api_server);
  }
  [[nodiscard]] HttpAnswer Ready() const { return ReadyPage(ReadinessNow()); }
  [[nodiscard]] HttpAnswer Explain(const Parts& parts) const {
    return ExplainPage(world.manager(), ReadinessNow(), parts);
  }
  // Starts one of them, if it has an address, and notes where it is reached.
  template <class Server>
  Result<void> StartOne(Server& server, std::string_view name, const std::optional<BindAddress>& at,
                        const std::string& flag) {
    if (!at) return {};
    BindAddress reached = *at;
    MUSTER_ASSIGN(reached.port, server.Start(*at, flag));
    served.emplace_back(name, reached.text());
    return {};
  }

  const World world;
  const ServerOptions options;
  HttpServer http, metrics, health;
  RpcServer rpc;
  ports::Telemetry::Fields served;
  std::int64_t totals_again_ms = 0;  // The loop's.
};

Servers::Servers(World world, ServerOptions options)
    : state_(std::make_unique<State>(std::move(world), std::move(options))) {}

Servers::~Servers() = default;

Result<void> Servers::Start() {
  State& all = *state_;
  const BindAddress loopback{.host = "127.0.0.1", .port = all.options.http_port};
  MUSTER_TRY(all.StartOne(all.http, "http", loopback, "--http-port"));
  MUSTER_TRY(all.StartOne(all.metrics, "metrics", all.options.metrics, "--metrics-bind-address"));
  MUSTER_TRY(all.StartOne(all.health, "health", all.options.health, "--health-probe-bind-address"));
  MUSTER_TRY(all.StartOne(all.rpc, "grpc", all.options.grpc, "--grpc-bind-address"));
  return {};
}

void Servers::Stop() {
  state_->rpc.Stop();
  state_->health.Stop();
  state_->metrics.Stop();
  state_->http.Stop();
}

const ports::Telemetry::Fields& Servers::served() const {
  return state_->served;
}

}  // namespace muster::app
