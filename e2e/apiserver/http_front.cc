#include "e2e/apiserver/http_front.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <httplib.h>

#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/frame_queue.h"
#include "e2e/apiserver/http_front_listener.h"
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

// What the doors of one server share.
struct Guarded {
  explicit Guarded(ApiServer& one) : server(one) {}
  ApiServer& server;
  std::timed_mutex mutex;  // Guards `server`, and of each door its streams.
};

}  // namespace

class HttpFront::Impl {
 public:
  Impl(std::shared_ptr<Guarded> guarded, bool is_first, Options options)
      : guarded_(std::move(guarded)),
        is_first_(is_first),
        options_(std::move(options)),
        held_(options_.port) {}
  ~Impl() { Stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Gate gate;
  WatchGate watch_gate;

  Result<std::int32_t> Start() {
    std::signal(SIGPIPE, SIG_IGN);
    const auto handler = [this](const httplib::Request& in, httplib::Response& out) {
      Answer(in, out);
    };
    listener_ = std::make_unique<Listener>(options_.tls);
    listener_->Get(".*", handler).Post(".*", handler).Put(".*", handler);
    listener_->Patch(".*", handler).Delete(".*", handler);
    const std::int32_t port = held_.port();
    if (port == 0 || !listener_->Bind(port)) {
      return Error{Code::kUnavailable,
                   "port " + std::to_string(options_.port) + " of 127.0.0.1 is taken"};
    }
    accepting_ = std::thread([this] { listener_->listen_after_bind(); });
    // The library loses a stop that comes before its loop runs.
    while (!listener_->is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stopping_ = std::make_unique<FrameQueue>(1);
    if (is_first_) bookmarks_ = std::thread([this] { SendBookmarks(); });
    return port;
  }

  void Close() {
    if (!accepting_.joinable()) return;
    stopping_->End();
    EndStreams();
    listener_->CloseConnections();
    listener_->stop();
  }
  void Stop() {
    Close();
    if (accepting_.joinable()) accepting_.join();
    if (bookmarks_.joinable()) bookmarks_.join();
  }
  void EndStreams() {
    const std::lock_guard lock(guarded_->mutex);
    for (const auto& [id, stream] : streams_) stream->frames.End();
  }

  void Locked(const std::function<void(ApiServer&)>& body) {
    const std::lock_guard lock(guarded_->mutex);
    body(guarded_->server);
  }
  void SetToken(const std::string& token) {
    const std::lock_guard lock(token_mutex_);
    authorization_ = token.empty() ? "" : "Bearer " + token;
  }
  [[nodiscard]] std::int64_t unauthorized() const { return unauthorized_; }
  [[nodiscard]] const std::shared_ptr<Guarded>& guarded() const { return guarded_; }

 private:
  bool Admits(const httplib::Request& in) {
    const std::lock_guard lock(token_mutex_);
    return authorization_.empty() || in.get_header_value("Authorization") == authorization_;
  }

  void Answer(const httplib::Request& in, httplib::Response& out) {
    if (!Admits(in)) {
      ++unauthorized_;
      return ToWire(Unauthorized(), out);
    }
    const HttpRequest request = FromWire(in);
    if (IsWatch(request)) {
      StartWatch(request, out);
      return;
    }
    const auto timeout = ParseTimeout(Query(request, "timeout"));
    if (!timeout.ok()) return ToWire(ToResponse(BadRequest(timeout.error().message)), out);
    const Clock::time_point until = Clock::now() + timeout.value();
    const Next next = [&](const HttpRequest& asked) -> HttpResponse {
      const std::unique_lock lock(guarded_->mutex, until);
      return lock.owns_lock() ? guarded_->server.Handle(asked) : NoTurn();
    };
    ToWire(gate ? gate(request, next) : next(request), out);
  }

  // One watch on its way out.
  struct Stream {
    explicit Stream(std::size_t bytes_max) : frames(bytes_max) {}
    FrameQueue frames;
    Clock::time_point end;
    bool broken = false;
  };

  void StartWatch(const HttpRequest& request, httplib::Response& out) {
    const WatchTerms terms = watch_gate ? watch_gate(request) : WatchTerms{};
    if (terms.refusal) return ToWire(*terms.refusal, out);
    auto stream = std::make_shared<Stream>(options_.watch_bytes_max);
    if (!terms.only.empty()) {
      stream->frames.Push(terms.only);
      stream->frames.End();
    }
    const auto subscription = Subscribe(request, stream);
    if (subscription.id == 0) return ToWire(subscription.answer, out);
    const std::chrono::milliseconds asked = WatchTime(request);
    stream->end = Clock::now() + std::min(asked, terms.at_most.value_or(asked));
    stream->broken = terms.broken;
    out.status = 200;
    out.set_chunked_content_provider(
        subscription.answer.content_type,
        [stream](std::size_t /*offset*/, httplib::DataSink& sink) {
          return SendFrames(*stream, sink);
        },
        [this, id = subscription.id](bool /*success*/) { Unsubscribe(id); });
  }

  ApiServer::Subscription Subscribe(const HttpRequest& request,
                                    const std::shared_ptr<Stream>& stream) {
    const std::lock_guard lock(guarded_->mutex);
    auto subscription = guarded_->server.Subscribe(
        request, [stream](const std::string& frame) { stream->frames.Push(frame); },
        [stream] { stream->frames.End(); });
    if (subscription.id != 0) streams_[subscription.id] = stream;
    return subscription;
  }

  static std::chrono::seconds WatchTime(const HttpRequest& request) {
    const std::string text = Query(request, "timeoutSeconds");
    std::int64_t seconds = 0;
    std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (seconds <= 0 || seconds > 3600) seconds = 1800;
    return std::chrono::seconds(seconds);
  }

  static bool SendFrames(Stream& stream, httplib::DataSink& sink) {
    const Clock::time_point now = Clock::now();
    const std::string lines = stream.frames.Pop(std::min(stream.end, now + kLookAtPeer));
    if (!lines.empty()) {
      sink.write(lines.data(), lines.size());
      return true;
    }
    if (!stream.frames.ended() && now < stream.end) return sink.is_writable();
    if (stream.broken) return false;
    sink.done();
    return true;
  }

  void Unsubscribe(std::uint64_t id) {
    const std::lock_guard lock(guarded_->mutex);
    guarded_->server.Unsubscribe(id);
    streams_.erase(id);
  }

  void SendBookmarks() {
    while (!stopping_->ended()) {
      (void)stopping_->Pop(Clock::now() + std::chrono::milliseconds(options_.bookmark_ms));
      if (!stopping_->ended()) Locked([](ApiServer& server) { server.Bookmark(); });
    }
  }

  const std::shared_ptr<Guarded> guarded_;
  const bool is_first_;  // It alone sends the bookmarks, to the watches of all.
  const Options options_;
  const HeldPort held_;
  std::map<std::uint64_t, std::shared_ptr<Stream>> streams_;
  std::mutex token_mutex_;
  std::string authorization_;  // The header that is let in; "" = any.
  std::atomic<std::int64_t> unauthorized_ = 0;
  // Anew with each Start:
  std::unique_ptr<FrameQueue> stopping_;
  std::unique_ptr<Listener> listener_;
  std::thread accepting_, bookmarks_;
};

HttpFront::HttpFront(ApiServer& server, Options options)
    : impl_(std::make_unique<Impl>(std::make_shared<Guarded>(server), true, std::move(options))) {}
HttpFront::HttpFront(const HttpFront& first, Options options)
    : impl_(std::make_unique<Impl>(first.impl_->guarded(), false, std::move(options))) {}
HttpFront::~HttpFront() = default;

void HttpFront::SetGate(Gate gate) {
  impl_->gate = std::move(gate);
}
void HttpFront::SetWatchGate(WatchGate gate) {
  impl_->watch_gate = std::move(gate);
}
void HttpFront::SetToken(const std::string& token) {
  impl_->SetToken(token);
}
std::int64_t HttpFront::unauthorized() const {
  return impl_->unauthorized();
}
Result<std::int32_t> HttpFront::Start() {
  return impl_->Start();
}
void HttpFront::Close() {
  impl_->Close();
}
void HttpFront::Stop() {
  impl_->Stop();
}
void HttpFront::EndStreams() {
  impl_->EndStreams();
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
