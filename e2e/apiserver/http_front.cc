#include "e2e/apiserver/http_front.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>
#include <utility>

#include <httplib.h>
#include <netinet/tcp.h>

#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/frame_queue.h"
#include "e2e/apiserver/http_front_connection.h"
#include "e2e/apiserver/request_timeout.h"

namespace muster::e2e {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAtPeer{1000};

std::string Query(const HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.query) {
    if (key == name) return value;
  }
  return {};
}

bool IsWatch(const HttpRequest& request) {
  if (request.method != "GET") return false;
  const std::string watch = Query(request, "watch");
  return watch == "1" || watch == "true";
}

// As the real server says it.
HttpResponse Unauthorized() {
  return {.status = 401,
          .headers = {},
          .body = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                  R"("message":"Unauthorized","reason":"Unauthorized","code":401})"};
}

HttpRequest FromWire(const httplib::Request& in) {
  HttpRequest out{.method = in.method,
                  .path = in.path,
                  .query = {},
                  .content_type = in.get_header_value("Content-Type"),
                  .accept = in.get_header_value("Accept"),
                  .body = in.body};
  out.query.reserve(in.params.size());
  for (const auto& [key, value] : in.params) out.query.emplace_back(key, value);
  return out;
}

void ToWire(const HttpResponse& in, httplib::Response& out) {
  out.status = in.status;
  for (const auto& [name, value] : in.headers) out.set_header(name, value);
  out.set_content(in.body, in.content_type);
}

class ThreadPerConnection : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      ++running_;
    }
    std::thread([this, task = std::move(task)] {
      task();
      const std::lock_guard lock(mutex_);
      --running_;
      idle_.notify_all();
    }).detach();
  }
  void shutdown() override {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable idle_;
  int running_ = 0;
};

// The library's server, with its own handling of connections replaced: that one polls a hundred
// times a second, cannot be told to end, and takes no part in the pairing of head and body.
class Listener : public httplib::Server {
 public:
  explicit Listener(std::shared_ptr<const app::TlsAcceptor> tls) : tls_(std::move(tls)) {
    new_task_queue = [] { return new ThreadPerConnection; };
    // The default sets SO_REUSEPORT, with which two servers share a port without a word.
    set_socket_options([](socket_t fd) {
      const int on = 1;
      ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    set_tcp_nodelay(true);
    set_keep_alive_max_count(1'000'000'000);
    set_keep_alive_timeout(kKeepAlive.count());
    set_read_timeout(30);
    set_write_timeout(30);
    // What is too large the server says itself, in its own words.
    set_payload_max_length(std::size_t{64} << 20);
  }

  int Bind(int port) {
    if (port == 0) {
      port = bind_to_any_port("127.0.0.1");
    } else if (!bind_to_port("127.0.0.1", port)) {
      port = -1;
    }
    // The library's backlog of 5 drops the connections of a client that opens many at once.
    if (port > 0) ::listen(svr_sock_, 1024);
    return port;
  }
  void CloseConnections() {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    for (const socket_t fd : open_) ::shutdown(fd, SHUT_RDWR);
  }

 private:
  static constexpr std::chrono::seconds kKeepAlive{120};

  bool process_and_close_socket(socket_t fd) override {
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (Register(fd)) Serve(fd);
    const std::lock_guard lock(mutex_);
    open_.erase(fd);
    ::shutdown(fd, SHUT_RDWR);
    ::close(fd);
    return true;
  }
  bool Register(socket_t fd) {
    const std::lock_guard lock(mutex_);
    if (closing_) return false;
    open_.insert(fd);
    return true;
  }
  static void Prepare(httplib::Request& request) {
    request.headers.erase("Accept-Encoding");
    // Without a length there is no body (RFC 9112, 6.3); the library would read to the end.
    const bool chunked = request.has_header("Transfer-Encoding");
    const bool bounded = chunked || request.has_header("Content-Length");
    if (!bounded) request.set_header("Content-Length", "0");
  }
  void Serve(socket_t fd) {
    const auto secured = tls_ != nullptr ? tls_->Accept(fd) : nullptr;
    if (tls_ != nullptr && secured == nullptr) return;
    Connection connection(fd, secured.get());
    bool closed = false;
    while (!closed && connection.WaitForRequest(kKeepAlive)) {
      // Never compressed: a compressor keeps the frames of a watch back until it has many.
      const bool served = process_request(connection, false, closed, Prepare);
      if (!served) return;
      if (!connection.Flush()) return;
    }
  }

  const std::shared_ptr<const app::TlsAcceptor> tls_;
  std::mutex mutex_;
  std::set<socket_t> open_;
  bool closing_ = false;
};

}  // namespace

class HttpFront::Impl {
 public:
  Impl(ApiServer& server, Options options)
      : server_(server), options_(std::move(options)), listener_(options_.tls) {}
  ~Impl() { Stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Gate gate;

  Result<std::int32_t> Start() {
    std::signal(SIGPIPE, SIG_IGN);
    const auto handler = [this](const httplib::Request& in, httplib::Response& out) {
      Answer(in, out);
    };
    listener_.Get(".*", handler).Post(".*", handler).Put(".*", handler);
    listener_.Patch(".*", handler).Delete(".*", handler);
    const int port = listener_.Bind(options_.port);
    if (port <= 0) {
      return Error{Code::kUnavailable,
                   "port " + std::to_string(options_.port) + " of 127.0.0.1 is taken"};
    }
    accepting_ = std::thread([this] { listener_.listen_after_bind(); });
    // The library loses a stop that comes before its loop runs.
    while (!listener_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    bookmarks_ = std::thread([this] { SendBookmarks(); });
    return port;
  }

  void Stop() {
    if (!accepting_.joinable()) return;
    stopping_.End();
    EndStreams();
    listener_.CloseConnections();
    listener_.stop();
    accepting_.join();
    bookmarks_.join();
  }

  void Locked(const std::function<void(ApiServer&)>& body) {
    const std::lock_guard lock(store_);
    body(server_);
  }
  void SetToken(const std::string& token) {
    const std::lock_guard lock(token_mutex_);
    authorization_ = token.empty() ? "" : "Bearer " + token;
  }

 private:
  bool Admits(const httplib::Request& in) {
    const std::lock_guard lock(token_mutex_);
    return authorization_.empty() || in.get_header_value("Authorization") == authorization_;
  }

  void Answer(const httplib::Request& in, httplib::Response& out) {
    if (!Admits(in)) return ToWire(Unauthorized(), out);
    const HttpRequest request = FromWire(in);
    if (IsWatch(request)) {
      StartWatch(request, out);
      return;
    }
    const auto timeout = ParseTimeout(Query(request, "timeout"));
    if (!timeout.ok()) return ToWire(ToResponse(BadRequest(timeout.error().message)), out);
    const Clock::time_point until = Clock::now() + timeout.value();
    const Next next = [&](const HttpRequest& asked) -> HttpResponse {
      const std::unique_lock lock(store_, until);
      return lock.owns_lock() ? server_.Handle(asked) : NoTurn();
    };
    ToWire(gate ? gate(request, next) : next(request), out);
  }

  void StartWatch(const HttpRequest& request, httplib::Response& out) {
    auto frames = std::make_shared<FrameQueue>(options_.watch_bytes_max);
    ApiServer::Subscription subscription;
    {
      const std::lock_guard lock(store_);
      subscription = server_.Subscribe(
          request, [frames](const std::string& frame) { frames->Push(frame); },
          [frames] { frames->End(); });
      if (subscription.id != 0) streams_[subscription.id] = frames;
    }
    if (subscription.id == 0) {
      ToWire(subscription.answer, out);
      return;
    }
    const Clock::time_point end = Clock::now() + WatchTime(request);
    out.status = 200;
    out.set_chunked_content_provider(
        subscription.answer.content_type,
        [frames, end](std::size_t /*offset*/, httplib::DataSink& sink) {
          return SendFrames(*frames, end, sink);
        },
        [this, id = subscription.id](bool /*success*/) { Unsubscribe(id); });
  }

  static std::chrono::seconds WatchTime(const HttpRequest& request) {
    const std::string text = Query(request, "timeoutSeconds");
    std::int64_t seconds = 0;
    std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (seconds <= 0 || seconds > 3600) seconds = 1800;
    return std::chrono::seconds(seconds);
  }

  static bool SendFrames(FrameQueue& frames, Clock::time_point end, httplib::DataSink& sink) {
    const Clock::time_point now = Clock::now();
    const std::string lines = frames.Pop(std::min(end, now + kLookAtPeer));
    if (!lines.empty()) {
      sink.write(lines.data(), lines.size());
      return true;
    }
    if (frames.ended() || now >= end) {
      sink.done();
      return true;
    }
    return sink.is_writable();
  }

  void Unsubscribe(std::uint64_t id) {
    const std::lock_guard lock(store_);
    server_.Unsubscribe(id);
    streams_.erase(id);
  }

  void EndStreams() {
    const std::lock_guard lock(store_);
    for (const auto& [id, frames] : streams_) frames->End();
  }

  void SendBookmarks() {
    while (!stopping_.ended()) {
      (void)stopping_.Pop(Clock::now() + std::chrono::milliseconds(options_.bookmark_ms));
      if (!stopping_.ended()) Locked([](ApiServer& server) { server.Bookmark(); });
    }
  }

  ApiServer& server_;
  const Options options_;
  std::timed_mutex store_;  // Guards server_ and streams_.
  std::map<std::uint64_t, std::shared_ptr<FrameQueue>> streams_;
  FrameQueue stopping_{1};
  std::mutex token_mutex_;
  std::string authorization_;  // The header that is let in; "" = any.
  Listener listener_;
  std::thread accepting_, bookmarks_;
};

HttpFront::HttpFront(ApiServer& server, Options options)
    : impl_(std::make_unique<Impl>(server, std::move(options))) {}
HttpFront::~HttpFront() = default;

void HttpFront::SetGate(Gate gate) {
  impl_->gate = std::move(gate);
}
void HttpFront::SetToken(const std::string& token) {
  impl_->SetToken(token);
}
Result<std::int32_t> HttpFront::Start() {
  return impl_->Start();
}
void HttpFront::Stop() {
  impl_->Stop();
}
void HttpFront::Locked(const std::function<void(ApiServer&)>& body) {
  impl_->Locked(body);
}

HttpResponse HttpFront::Handle(const HttpRequest& request) {
  HttpResponse answer;
  impl_->Locked([&](ApiServer& server) { answer = server.Handle(request); });
  return answer;
}

}  // namespace muster::e2e
