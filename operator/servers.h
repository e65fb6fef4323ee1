// Everything at which the process can be asked: one HTTP server on loopback with all pages, and on
// addresses of their own, if they are given, the metrics, the health pages, and gRPC. Loop thread
// only, but that the servers' own threads ask the loop.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "controllers/manager.h"
#include "controllers/ports/telemetry.h"
#include "operator/metrics.h"
#include "operator/server_options.h"
#include "operator/thread_loop.h"
#include "scheduler/base/result.h"

namespace muster::app {

class Servers {
 public:
  struct World {
    ThreadLoop& loop;
    const Metrics& metrics;
    std::string api_server;  // As a person reads it.
    // nullptr until the API server has answered. Asked on the loop.
    std::function<const controllers::Manager*()> manager;
  };
  Servers(World world, ServerOptions options);
  ~Servers();
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  // All of them, or the reason why one cannot. Before the loop runs they wait for it.
  [[nodiscard]] Result<void> Start();
  void Stop();
  // Where each is reached, for the log: {"http", "127.0.0.1:10251"}, ... The first is http.
  [[nodiscard]] const ports::Telemetry::Fields& served() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::app
