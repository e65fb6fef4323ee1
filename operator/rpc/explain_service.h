// The gRPC server: muster.v1alpha1.Explainer (explain.proto), grpc.health.v1 and reflection. Its
// threads ask by what they are given, which waits, bounded, for the loop; there are few of them:
// askers cannot crowd the loop out. In plain text and without authentication, so loopback alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operator/bind_address.h"
#include "operator/http_server.h"
#include "scheduler/base/result.h"

namespace muster::app {

class RpcServer {
 public:
  // From any thread, several at once.
  struct Questions {
    std::function<HttpAnswer()> live;   // /healthz: health of the service "liveness".
    std::function<HttpAnswer()> ready;  // /readyz: health of the server itself, "".
    // /explain, of the same parts.
    std::function<HttpAnswer(const std::vector<std::string>& parts)> explain;
  };
  struct Options {
    std::int64_t health_ms = 1'000;  // So often the health is looked at.
  };

  RpcServer(Questions questions, Options options);
  ~RpcServer();  // Stops.
  RpcServer(const RpcServer&) = delete;
  RpcServer& operator=(const RpcServer&) = delete;

  // Serves from now on; the port, or why not, which names the flag that says the address. A thread
  // of its own looks at the health from here on.
  [[nodiscard]] Result<std::int32_t> Start(const BindAddress& at, const std::string& flag);
  // Calls under way are ended.
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::app
