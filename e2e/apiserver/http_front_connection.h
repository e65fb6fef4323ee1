// One connection of http_front, with TLS or without. Reads are buffered, since the library reads a
// request byte by byte; the head of an answer waits for its body, so that both leave in one
// segment. The connection's thread only. For http_front.cc alone: it costs the library's header.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <httplib.h>
#include <poll.h>

#include "operator/testing/tls_server.h"

namespace muster::e2e {

class Connection : public httplib::Stream {
 public:
  // `tls` may be null.
  Connection(socket_t fd, app::TlsSocket* tls) : fd_(fd), tls_(tls) {}

  // False: `until` has passed, or the peer has closed.
  [[nodiscard]] bool WaitForRequest(std::chrono::milliseconds patience) const {
    if (HasBytes()) return true;
    char byte = 0;
    return Poll(POLLIN, patience) && ::recv(fd_, &byte, 1, MSG_PEEK) == 1;
  }
  bool Flush() {
    const std::string head = std::exchange(head_, {});
    return head.empty() || SendAll(head.data(), head.size());
  }

  [[nodiscard]] bool is_readable() const override {
    return HasBytes() || Poll(POLLIN, std::chrono::seconds(10));
  }
  // Also false once the peer has closed its side: nobody reads a watch whose reader is gone. With
  // TLS it says so; nothing else is said by who is being answered.
  [[nodiscard]] bool is_writable() const override {
    char byte = 0;
    const ssize_t said = tls_ == nullptr ? 0 : 1;
    const bool closed = Poll(POLLIN, std::chrono::milliseconds(0)) &&
                        ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= said;
    return !closed && Poll(POLLOUT, std::chrono::seconds(10));
  }
  ssize_t read(char* out, size_t size) override {
    if (begin_ == end_) {
      const ssize_t got = tls_ != nullptr ? tls_->Read(buffer_.data(), buffer_.size())
                                          : ::recv(fd_, buffer_.data(), buffer_.size(), 0);
      if (got <= 0) return got;
      begin_ = 0;
      end_ = static_cast<std::size_t>(got);
    }
    const std::size_t taken = std::min(size, end_ - begin_);
    std::copy_n(buffer_.data() + begin_, taken, out);
    begin_ += taken;
    return static_cast<ssize_t>(taken);
  }
  ssize_t write(const char* data, size_t size) override {
    const std::string_view text(data, size);
    const bool is_head = head_.empty() && text.starts_with("HTTP/1.1 ");
    // A stream's head goes out at once: its first frame may be minutes away.
    if (is_head && text.find("\r\nTransfer-Encoding: chunked") == std::string_view::npos) {
      head_ = text;
      return static_cast<ssize_t>(size);
    }
    if (head_.empty()) return SendAll(data, size) ? static_cast<ssize_t>(size) : -1;
    head_ += text;
    return Flush() ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  [[nodiscard]] socket_t socket() const override { return fd_; }

 private:
  [[nodiscard]] bool Poll(short events, std::chrono::milliseconds patience) const {
    pollfd wanted{.fd = fd_, .events = events, .revents = 0};
    return ::poll(&wanted, 1, static_cast<int>(patience.count())) == 1;
  }
  [[nodiscard]] bool HasBytes() const {
    return begin_ < end_ || (tls_ != nullptr && tls_->HasPending());
  }
  [[nodiscard]] bool SendAll(const char* data, std::size_t size) const {
    if (tls_ != nullptr) return tls_->Write({data, size});
    while (size > 0) {
      const ssize_t sent = ::send(fd_, data, size, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      data += sent;
      size -= static_cast<std::size_t>(sent);
    }
    return true;
  }

  const socket_t fd_;
  app::TlsSocket* const tls_;
  std::string head_;
  std::size_t begin_ = 0, end_ = 0;
  std::array<char, 16384> buffer_{};
};

}  // namespace muster::e2e
