#include "operator/http_client.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <utility>

#include <httplib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "operator/credentials.h"
#include "operator/tls.h"
#include "scheduler/base/check.h"

namespace muster::app {
namespace {

using Clock = std::chrono::steady_clock;

// HTTP/1.1 has no ping: a peer that vanished is found by the kernel, at the latest after 60 s.
void SetKeepAlive(socket_t sock) {
  const auto set = [sock](int level, int option, int value) {
    (void)::setsockopt(sock, level, option, &value, sizeof(value));
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

// Whatever would end a line of the head early, or a part of its first line.
bool IsHeadSafe(std::string_view text, bool spaces) {
  return std::ranges::all_of(text, [spaces](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 ? byte != 0x7f : spaces && byte == 0x20;
  });
}

Error Refused(std::string_view part) {
  return {Code::kInvalidArgument,
          std::string(part) + " of a request holds a line end or control character"};
}

// Only a connection that was never made, or never trusted, proves that nothing was sent.
bool IsUnsent(httplib::Error error) {
  return error == httplib::Error::Connection || error == httplib::Error::ConnectionTimeout ||
         error == httplib::Error::SSLConnection;
}

Error FromTransport(httplib::Error error, const std::string& target, const std::string& tls) {
  const bool unsent = IsUnsent(error);
  return {unsent ? Code::kUnavailable : Code::kDeadlineExceeded,
          (unsent ? "no connection to the API server: " : "no answer of the API server: ") +
              httplib::to_string(error) + (tls.empty() ? "" : ": " + tls) + " (" +
              target.substr(0, target.find('?')) + ")"};
}

// Without the body, which a stream hands out piece by piece.
HttpReply HeadOf(const httplib::Response& response) {
  return {.status = response.status,
          .body = {},
          .retry_after_ms = ParseRetryAfter(response.get_header_value("Retry-After"))};
}

}  // namespace

struct HttpConnection::State {
  State(Endpoint to, HttpTimeouts limits);

  // Runs `request`; an Error if no whole answer came. Fences what the library may throw.
  Result<httplib::Response> Run(httplib::Request request);
  // Takes the latest credential; a connection that another certificate or CA has made ends.
  void TakeCredential();

  void Tell(const HttpSent& sent) const {
    if (observer) observer(sent);
  }

  const Endpoint endpoint;
  const HttpTimeouts timeouts;
  const std::shared_ptr<Credentials> credentials;
  std::shared_ptr<const Credential> credential;  // Of the last request.
  HttpObserver observer;                         // May be empty.
  bool fresh = false;  // The request under way had to make its connection.
  Clock::time_point last_use = Clock::now();
  std::unique_ptr<httplib::ClientImpl> client;
  std::optional<TlsClient> tls;
};

// The library's own check of the server is off: OpenSSL's, which is on, is within the handshake.
HttpConnection::State::State(Endpoint to, HttpTimeouts limits)
    : endpoint(std::move(to)),
      timeouts(limits),
      credentials(endpoint.credentials != nullptr ? endpoint.credentials
                                                  : std::make_shared<Credentials>(endpoint.token)) {
  if (endpoint.tls.has_value()) {
    auto with_tls = std::make_unique<httplib::SSLClient>(endpoint.host, endpoint.port);
    with_tls->enable_server_certificate_verification(false);
    tls.emplace(with_tls->ssl_context(), endpoint.tls->name, endpoint.tls->verify);
    client = std::move(with_tls);
  } else {
    client = std::make_unique<httplib::ClientImpl>(endpoint.host, endpoint.port);
  }
  const auto ms = [](std::int64_t value) { return std::chrono::milliseconds(value); };
  client->set_connection_timeout(ms(timeouts.connect_ms));
  client->set_read_timeout(ms(timeouts.read_ms));
  client->set_write_timeout(ms(timeouts.write_ms));
  client->set_keep_alive(true);
  // Head and body go out in two writes: without this the second waits 40 ms for the first's ACK.
  client->set_tcp_nodelay(true);
  client->set_url_encode(false);  // Targets come encoded.
  client->set_follow_location(false);
  client->set_socket_options([this](socket_t sock) {
    fresh = true;
    SetKeepAlive(sock);
  });
}

void HttpConnection::State::TakeCredential() {
  credential = credentials->Now();
  if (!tls.has_value()) return;
  MUSTER_CHECK(credential->tls != nullptr);
  if (tls->material() != credential->tls) client->stop();
  tls->Use(credential->tls);
  tls->Begin();
}

Result<httplib::Response> HttpConnection::State::Run(httplib::Request request) {
  TakeCredential();
  request.path.insert(0, endpoint.prefix);
  if (!IsHeadSafe(request.path, false)) return Refused("the path");
  if (!IsHeadSafe(credential->token, false)) return Refused("the token");
  for (const auto& [name, value] : request.headers) {
    if (!IsHeadSafe(value, true)) return Refused("header " + name);
  }
  request.set_header("User-Agent", "muster");
  if (!credential->token.empty()) {
    request.set_header("Authorization", "Bearer " + credential->token);
  }
  const auto idle = std::chrono::milliseconds(timeouts.idle_ms);
  if (Clock::now() - last_use > idle) client->stop();
  fresh = false;
  try {
    httplib::Response response;
    httplib::Error error = httplib::Error::Success;
    const bool sent = client->send(request, response, error);
    last_use = Clock::now();
    if (sent) return response;
    return FromTransport(error, request.path, tls.has_value() ? tls->TakeProblem() : "");
  } catch (const std::exception& thrown) {
    client->stop();
    return Error{Code::kDeadlineExceeded,
                 std::string("the answer could not be read: ") + thrown.what()};
  }
}

HttpConnection::HttpConnection(Endpoint endpoint, HttpTimeouts timeouts)
    : state_(std::make_unique<State>(std::move(endpoint), timeouts)) {}

HttpConnection::~HttpConnection() = default;

// No Accept-Encoding: on the networks between an operator and its API server, unpacking costs more
// time than it saves.
Result<HttpReply> HttpConnection::Send(const HttpCall& call) {
  httplib::Request request;
  request.method = call.method;
  request.path = call.target;
  request.headers.emplace("Accept", "application/json");
  if (!call.body.empty()) {
    request.headers.emplace("Content-Type",
                            call.content_type.empty() ? "application/json" : call.content_type);
    request.body = call.body;
  }
  const Clock::time_point start = Clock::now();
  Result<httplib::Response> response = state_->Run(std::move(request));
  reused_ = !state_->fresh;
  state_->Tell(
      {.method = call.method,
       .status = response.ok() ? response.value().status : 0,
       .micros =
           std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count()});
  if (!response.ok()) return response.error();
  HttpReply reply = HeadOf(response.value());
  reply.body = std::move(response.value().body);
  return reply;
}

// A receiver that ends the stream makes the library report a cancelled request without a response:
// whatever is of use must have been taken in the callbacks.
Result<void> HttpConnection::Stream(const std::string& target, const Head& head,
                                    const Bytes& bytes) {
  bool ended_here = false, answered = false;
  const auto keep = [&ended_here](bool go_on) {
    ended_here = !go_on;
    return go_on;
  };
  httplib::Request request;
  request.method = "GET";
  request.path = target;
  request.headers.emplace("Accept", "application/json");
  request.response_handler = [&](const httplib::Response& response) {
    answered = true;
    state_->Tell({.method = "GET", .status = response.status, .micros = {}});
    return keep(head(HeadOf(response)));
  };
  request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t /*offset*/,
                                 std::uint64_t /*total*/) {
    return keep(bytes(std::string_view(data, size)));
  };
  const Result<httplib::Response> response = state_->Run(std::move(request));
  reused_ = !state_->fresh;
  if (!answered) state_->Tell({.method = "GET", .status = 0, .micros = {}});
  if (!response.ok() && !ended_here) return response.error();
  return {};
}

bool HttpConnection::Renew() {
  return state_->credentials->Renew(state_->credential);
}

void HttpConnection::Observe(HttpObserver observer) {
  state_->observer = std::move(observer);
}

void HttpConnection::Interrupt() {
  state_->client->stop();
}

std::optional<std::int64_t> ParseRetryAfter(std::string_view value) {
  constexpr std::int64_t kMaxSeconds = 3'600;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (error != std::errc() || end != value.data() + value.size() || seconds < 0) {
    return std::nullopt;
  }
  return std::min(seconds, kMaxSeconds) * 1000;
}

}  // namespace muster::app
