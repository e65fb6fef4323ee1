// One blocking HTTP/1.1 connection to the API server, kept alive between requests, with TLS or
// without. It decides nothing: what may be sent again is the caller's rule (api_client). One thread
// at a time, but Interrupt, which any thread may call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/base/result.h"

namespace muster::app {

class Credentials;

struct Endpoint {
  std::string host;
  std::int32_t port = 0;
  std::string token;     // "" = no Authorization header. Of no meaning beside `credentials`.
  std::string prefix{};  // Of every path: "" or "/k8s/clusters/c-1".
  struct Tls {
    std::string name{};  // What the server's certificate has to name.
    bool verify = true;
  };
  std::optional<Tls> tls{};  // Needs `credentials`.
  std::shared_ptr<Credentials> credentials{};
};

struct HttpTimeouts {
  // Short, because Interrupt waits for a connect that is under way.
  std::int64_t connect_ms = 3'000;
  std::int64_t read_ms = 10'000;  // Per read, so a slow but moving body is no time-out.
  std::int64_t write_ms = 10'000;
  // Servers and load balancers close idle connections, the earliest after about a minute: a
  // connection that idled longer than this is not used again.
  std::int64_t idle_ms = 30'000;
};

struct HttpCall {
  std::string method;
  std::string target;  // Path and query, encoded.
  std::string content_type;
  std::string body;
};

inline constexpr std::int32_t kHttpUnauthorized = 401;

struct HttpReply {
  std::int32_t status = 0;
  std::string body;
  std::optional<std::int64_t> retry_after_ms;
};

// A request that was sent, or was to be.
struct HttpSent {
  std::string_view method;
  std::int32_t status = 0;             // 0 = no answer.
  std::optional<std::int64_t> micros;  // Of a stream there is no such time.
};
// Runs on the thread of the connection.
using HttpObserver = std::function<void(const HttpSent& sent)>;

class HttpConnection {
 public:
  HttpConnection(Endpoint endpoint, HttpTimeouts timeouts);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // kInvalidArgument: a line end or control character in a part of the head, nothing was sent.
  // kUnavailable: no connection, or no TLS on it; nothing was sent. kDeadlineExceeded: sent in part
  // or whole, and no answer: it may have taken effect.
  [[nodiscard]] Result<HttpReply> Send(const HttpCall& call);

  // A GET whose body comes in pieces. `head` sees the reply without its body first; each callback
  // returns false to end the stream. Ok: ended by a callback or by the server; a broken chunk can
  // look the same, so the end of a stream never proves that it was complete.
  using Head = std::function<bool(const HttpReply& reply)>;
  using Bytes = std::function<bool(std::string_view bytes)>;
  [[nodiscard]] Result<void> Stream(const std::string& target, const Head& head,
                                    const Bytes& bytes);

  // Hears of every request from now on. Before the first.
  void Observe(HttpObserver observer);

  // The last request went over a connection that had served another one before it: when it fails,
  // the server may have closed the connection meanwhile.
  [[nodiscard]] bool reused() const { return reused_; }

  // After an answer of 401, which says that the request had no effect: true if there is another
  // credential by now, with which it may be sent again. May wait for a file or plugin to be read.
  [[nodiscard]] bool Renew();

  // Ends the request under way, if one has begun to be sent: repeat it until the caller is out.
  void Interrupt();

 private:
  struct State;
  bool reused_ = false;
  std::unique_ptr<State> state_;
};

// Retry-After in its form of seconds, which is the only one that Kubernetes sends.
[[nodiscard]] std::optional<std::int64_t> ParseRetryAfter(std::string_view value);

}  // namespace muster::app
