#include "operator/testing/raw_server.h"

#include <array>
#include <atomic>
#include <bit>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "scheduler/base/check.h"

namespace muster::app {
namespace {

// Of the first request in `bytes`, head and body; 0 = its head is not complete.
std::size_t RequestSize(const std::string& bytes) {
  constexpr std::string_view kField = "Content-Length: ";
  const std::size_t head_end = bytes.find("\r\n\r\n");
  if (head_end == std::string::npos) return 0;
  const std::size_t found = bytes.find(kField);
  if (found == std::string::npos || found > head_end) return head_end + 4;
  return head_end + 4 + std::strtoul(bytes.c_str() + found + kField.size(), nullptr, 10);
}

sockaddr* Generic(sockaddr_in* address) {
  return std::bit_cast<sockaddr*>(address);
}

}  // namespace

std::string RawServer::Peer::Read() {
  std::array<char, 4096> piece{};
  for (;;) {
    const std::size_t size = RequestSize(buffer_);
    if (size > 0 && buffer_.size() >= size) {
      std::string request = buffer_.substr(0, size);
      buffer_.erase(0, size);
      return request;
    }
    const long got = ReadSome(piece.data(), piece.size());
    if (got <= 0) return "";
    buffer_.append(piece.data(), static_cast<std::size_t>(got));
  }
}

long RawServer::Peer::ReadSome(char* out, std::size_t size) {
  return tls_ != nullptr ? tls_->Read(out, size) : ::recv(socket_, out, size, 0);
}

void RawServer::Peer::Write(std::string_view bytes) const {
  if (tls_ != nullptr) return (void)tls_->Write(bytes);
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void RawServer::Peer::Hold() const {
  std::array<char, 256> piece{};
  while (::recv(socket_, piece.data(), piece.size(), 0) > 0) {
  }
}

void RawServer::Peer::Close() {
  if (tls_ != nullptr) tls_->SayClosed();
  (void)::shutdown(socket_, SHUT_RDWR);
}

struct RawServer::State {
  State(Script run, std::shared_ptr<const TlsAcceptor> acceptor_of_tls)
      : script(std::move(run)), tls(std::move(acceptor_of_tls)) {}

  void Serve(int socket, int number);
  void Accept();

  const Script script;
  const std::shared_ptr<const TlsAcceptor> tls;
  int listener = -1;
  std::int32_t port = 0;
  std::atomic<bool> stopped = false;
  std::atomic<int> accepted = 0;
  std::mutex mutex;
  std::vector<int> open;
  std::vector<std::thread> threads;  // Of the acceptor only, until it is joined.
  std::thread acceptor;
};

void RawServer::State::Serve(int socket, int number) {
  {
    const std::unique_ptr<TlsSocket> secured = tls != nullptr ? tls->Accept(socket) : nullptr;
    Peer peer(socket, number, secured.get());
    if (tls == nullptr || secured != nullptr) {
      script(peer);
    } else {
      peer.Hold();  // So that the client reads why its handshake failed, however late.
    }
  }
  const std::lock_guard<std::mutex> lock(mutex);
  std::erase(open, socket);
  (void)::close(socket);
}

void RawServer::State::Accept() {
  for (;;) {
    const int socket = ::accept(listener, nullptr, nullptr);
    if (socket < 0 || stopped) {
      if (socket >= 0) (void)::close(socket);
      return;
    }
    const int on = 1;
    (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    {
      const std::lock_guard<std::mutex> lock(mutex);
      open.push_back(socket);
    }
    threads.emplace_back([this, socket, number = accepted++] { Serve(socket, number); });
  }
}

RawServer::RawServer(Script script, std::shared_ptr<const TlsAcceptor> tls)
    : state_(std::make_unique<State>(std::move(script), std::move(tls))) {
  // As every program around the HTTP client does: a peer that closes must not end the process.
  (void)std::signal(SIGPIPE, SIG_IGN);
  state_->listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  MUSTER_CHECK(::bind(state_->listener, Generic(&address), size) == 0);
  MUSTER_CHECK(::listen(state_->listener, 16) == 0);
  MUSTER_CHECK(::getsockname(state_->listener, Generic(&address), &size) == 0);
  state_->port = ntohs(address.sin_port);
  state_->acceptor = std::thread([this] { state_->Accept(); });
}

RawServer::~RawServer() {
  state_->stopped = true;
  (void)::shutdown(state_->listener, SHUT_RDWR);
  state_->acceptor.join();
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    for (const int socket : state_->open) (void)::shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& thread : state_->threads) thread.join();
  (void)::close(state_->listener);
}

std::int32_t RawServer::port() const {
  return state_->port;
}

int RawServer::connections() const {
  return state_->accepted;
}

std::string Answer(int status, std::string_view body, std::string_view more_headers) {
  return "HTTP/1.1 " + std::to_string(status) + " Status\r\nContent-Type: application/json\r\n" +
         std::string(more_headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

std::string ChunkedHead(int status) {
  return "HTTP/1.1 " + std::to_string(status) + " Status\r\nTransfer-Encoding: chunked\r\n\r\n";
}

std::string Chunk(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string size;
  for (std::size_t left = bytes.size(); left > 0 || size.empty(); left /= 16) {
    size.insert(size.begin(), kDigits[left % 16]);
  }
  return size + "\r\n" + std::string(bytes) + "\r\n";
}

}  // namespace muster::app
