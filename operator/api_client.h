// ports::Api over HTTP: worker threads with a connection each, some for every lane, and one thread
// per watched kind. Call and ListAndWatch are for the loop; answers come back through it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "controllers/ports/api.h"
#include "operator/http_client.h"
#include "operator/logging.h"
#include "operator/thread_loop.h"
#include "operator/watch_stream.h"

namespace muster::app {

struct ApiClientOptions {
  std::int32_t lease_connections = 2;
  // A Binding takes an API server about 2 ms: 16 of them under way keep 8 of its cores busy, and
  // each costs a thread here.
  std::int32_t bind_connections = 16, removal_connections = 4, status_connections = 4;
  HttpTimeouts http;
  WatchOptions watch;
  HttpObserver observer = nullptr;  // Of all requests; runs on many threads.
};

class ApiClient final : public ports::Api {
 public:
  // Keeps the credentials of the endpoint, if it has any, until Stop.
  ApiClient(Endpoint endpoint, const ApiClientOptions& options, ThreadLoop& loop,
            const Logger& logger);
  // Stops. The loop must have been stopped before: a watch thread may wait for room in its queue.
  ~ApiClient() override;
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  void Call(ports::Request request, Done done) override;
  void AllowWritesUntil(Ticks until) override { writes_until_ms_ = until.ms; }
  void ListAndWatch(ports::Resource resource, Decode decode, Sink sink) override;

  // Interrupts what is under way and joins all threads. Requests that were not answered may have
  // taken effect; nobody is told.
  void Stop();

 private:
  struct Worker {
    std::unique_ptr<HttpConnection> connection;
    std::unique_ptr<IoThread> thread;
  };
  struct Lane {
    CallQueue queue;
    std::vector<Worker> workers;
  };
  struct Watch {
    ports::Resource resource;
    std::unique_ptr<WatchStream> stream;
    std::unique_ptr<IoThread> thread;
  };

  void StartLane(Lane& lane, std::int32_t connections);

  const Endpoint endpoint_;
  const ApiClientOptions options_;
  ThreadLoop& loop_;
  const Logger& logger_;
  std::atomic<std::int64_t> writes_until_ms_ = std::numeric_limits<std::int64_t>::max();
  std::array<Lane, ports::kLanes> lanes_;  // By ports::Lane.
  std::vector<Watch> watches_;             // Those that end soon, too.
};

}  // namespace muster::app
