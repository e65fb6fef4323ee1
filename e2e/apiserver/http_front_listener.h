// The listening side of http_front: one thread per connection, which all can be ended. For
// http_front.cc alone: it costs the library's header.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <httplib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "e2e/apiserver/http_front_connection.h"
#include "operator/testing/tls_server.h"

namespace muster::e2e {

// A port of loopback that stays ours while nobody listens there: who connects then is refused, and
// nobody else can take it.
class HeldPort {
 public:
  // 0 = a free one.
  explicit HeldPort(std::int32_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    const bool held = ::bind(fd_, at, size) == 0 && ::getsockname(fd_, at, &size) == 0;
    if (held) port_ = ntohs(address.sin_port);
  }
  ~HeldPort() { ::close(fd_); }
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;

  [[nodiscard]] std::int32_t port() const { return port_; }  // 0: another has it.

 private:
  const int fd_;
  std::int32_t port_ = 0;
};

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

  [[nodiscard]] bool Bind(int port) {
    if (!bind_to_port("127.0.0.1", port)) return false;
    // The library's backlog of 5 drops the connections of a client that opens many at once.
    return ::listen(svr_sock_, 1024) == 0;
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

}  // namespace muster::e2e
