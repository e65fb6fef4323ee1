// Serves an ApiServer over HTTP/1.1 on loopback, with TLS or without: one lock around the store,
// one thread per connection, chunked watch streams. Owns sockets, threads and the lock, and knows
// no Kubernetes beyond `watch`, `timeoutSeconds` and `timeout`. Every method from any thread; Start
// and Stop one after the other.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
  // What becomes of a watch that is asked for.
  struct WatchTerms {
    std::optional<HttpResponse> refusal{};  // The answer in the place of a stream.
    std::string only{};  // The one frame that the stream has; "" = what it asks for.
    std::optional<std::chrono::milliseconds> at_most{};
    bool broken = false;  // It ends in the middle of its body, as one whose connection is cut.
  };
  using WatchGate = std::function<WatchTerms(const HttpRequest&)>;

  HttpFront(ApiServer& server, Options options);
  // One more door to the server of `first`, under its lock, with a port and a gate of its own.
  HttpFront(const HttpFront& first, Options options);
  ~HttpFront();  // Stops.
  HttpFront(const HttpFront&) = delete;
  HttpFront& operator=(const HttpFront&) = delete;

  // Before Start.
  void SetGate(Gate gate);
  void SetWatchGate(WatchGate gate);
  // From now on who shows another bearer token, or none, gets 401; "" = everybody is let in.
  void SetToken(const std::string& token);
  // How many requests got a 401.
  [[nodiscard]] std::int64_t unauthorized() const;
  // Listens, and returns the port: that of before, if it was stopped. A taken port is an Error.
  [[nodiscard]] Result<std::int32_t> Start();
  // Ends the streams and closes the port and the connections: what is under way there is not
  // answered any more.
  void Close();
  // Close, and returns when no thread is left.
  void Stop();
  // Ends the watches that are open.
  void EndStreams();

  // Runs `body` under the lock. `body` may not call this object.
  void Locked(const std::function<void(ApiServer&)>& body);
  // Handle under the lock, without the gate.
  [[nodiscard]] HttpResponse Handle(const HttpRequest& request);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::e2e
