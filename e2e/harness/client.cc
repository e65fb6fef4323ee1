#include "e2e/harness/client.h"

#include <atomic>
#include <chrono>
#include <utility>

#include <httplib.h>

namespace muster::e2e {
namespace {

constexpr const char* kHost = "127.0.0.1";

Answer Read(const httplib::Result& result) {
  if (!result) return {};
  return {.status = result->status,
          .body = Parse(result->body).value_or(nullptr),
          .text = result->body};
}

void Configure(httplib::Client& client, std::chrono::seconds patience) {
  client.set_tcp_nodelay(true);
  client.set_keep_alive(true);
  client.set_connection_timeout(std::chrono::seconds(5));
  client.set_read_timeout(patience);
  client.set_write_timeout(patience);
  client.set_url_encode(false);
}

}  // namespace

class Client::Impl {
 public:
  explicit Impl(std::int32_t port) : http(kHost, port) {
    Configure(http, std::chrono::seconds(30));
  }
  httplib::Client http;
};

Client::Client(std::int32_t port) : impl_(std::make_unique<Impl>(port)) {}
Client::~Client() = default;

Answer Client::Get(const std::string& path) {
  return Read(impl_->http.Get(path));
}

Answer Client::Post(const std::string& path, const Json& body) {
  return Read(impl_->http.Post(path, Dump(body), "application/json"));
}

Answer Client::Patch(const std::string& path, const Json& body, const std::string& content_type) {
  return Read(impl_->http.Patch(path, Dump(body), content_type));
}

Answer Client::Delete(const std::string& path) {
  return Read(impl_->http.Delete(path, "{}", "application/json"));
}

Result<Json> Client::List(const std::string& path) {
  Answer answer = Get(path);
  const Json* const items = Find(answer.body, {"items"});
  if (answer.status == 200 && items != nullptr && items->is_array()) return *items;
  return Error{Code::kUnavailable,
               "no list: GET " + path + ": " + std::to_string(answer.status) + " " + answer.text};
}

class WatchStream::Impl {
 public:
  Impl(std::int32_t port, std::string path, std::function<void(const Json&)> sink)
      : http_(kHost, port), path_(std::move(path)), sink_(std::move(sink)) {
    Configure(http_, std::chrono::seconds(3600));
  }

  void Follow() {
    http_.Get(path_, [this](const char* data, std::size_t size) {
      rest_.append(data, size);
      SplitLines();
      return !stopping_;
    });
    done_ = true;
  }

  [[nodiscard]] bool done() const { return done_; }

  // The library forgets a stop that comes before its request is sent.
  void Stop() {
    stopping_ = true;
    while (!done_) {
      http_.stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

 private:
  void SplitLines() {
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      const auto frame = Parse(std::string_view(rest_).substr(begin, end - begin));
      if (frame) sink_(*frame);
    }
    rest_.erase(0, begin);
  }

  httplib::Client http_;
  const std::string path_;
  const std::function<void(const Json&)> sink_;
  std::string rest_;
  std::atomic<bool> stopping_ = false, done_ = false;
};

WatchStream::WatchStream(std::int32_t port, const std::string& path,
                         std::function<void(const Json& frame)> sink)
    : impl_(std::make_unique<Impl>(port, path, std::move(sink))),
      thread_([this] { impl_->Follow(); }) {}

bool WatchStream::ended() const {
  return impl_->done();
}

WatchStream::~WatchStream() {
  impl_->Stop();
  thread_.join();
}

}  // namespace muster::e2e
