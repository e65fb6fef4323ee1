// Serves an ApiServer over HTTP/1.1 on loopback, with TLS or without: one lock around the store,
// one thread per connection, chunked watch streams. Owns sockets, threads and the lock, and knows
// no Kubernetes beyond `watch`, `timeoutSeconds` and `timeout`. Every method from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "e2e/apiserver/server.h"
#include "operator/testing/tls_server.h"
#include "scheduler/base/result.h"

namespace muster::e2e {

class HttpFront {
 public:
  struct Options {
    std::int32_t port = 0;                                // 0 = a free one.
    std::size_t watch_bytes_max = std::size_t{64} << 20;  // Unread bytes of one watch.
    std::int64_t bookmark_ms = 30'000;                    // Between bookmarks.
    std::shared_ptr<const app::TlsAcceptor> tls = {};     // Null: plain HTTP.
  };
  // Takes the lock, waiting for it no longer than the `timeout` of the request that came, and lets
  // the store answer the given one.
  using Next = std::function<HttpResponse(const HttpRequest&)>;
  // Stands around every request but watches, on the connection's thread and without the lock.
  using Gate = std::function<HttpResponse(const HttpRequest&, const Next& next)>;

  HttpFront(ApiServer& server, Options options);
  ~HttpFront();  // Stops.
  HttpFront(const HttpFront&) = delete;
  HttpFront& operator=(const HttpFront&) = delete;

  // Before Start.
  void SetGate(Gate gate);
  // From now on who shows another bearer token, or none, gets 401; "" = everybody is let in.
  void SetToken(const std::string& token);
  // Listens, and returns the port. A taken port is an Error.
  [[nodiscard]] Result<std::int32_t> Start();
  // Ends the streams, closes the connections and returns when no thread is left.
  void Stop();

  // Runs `body` under the lock. `body` may not call this object.
  void Locked(const std::function<void(ApiServer&)>& body);
  // Handle under the lock, without the gate.
  [[nodiscard]] HttpResponse Handle(const HttpRequest& request);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::e2e
