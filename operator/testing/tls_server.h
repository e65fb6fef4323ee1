// The server's side of TLS for servers on loopback: takes a socket that was accepted, and gives a
// stream. An acceptor may be used by many threads, a socket by one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "operator/testing/certificates.h"

namespace muster::app {

class TlsSocket {
 public:
  ~TlsSocket();  // SayClosed.
  TlsSocket(const TlsSocket&) = delete;
  TlsSocket& operator=(const TlsSocket&) = delete;

  // As recv: 0 = closed, -1 = broken.
  [[nodiscard]] long Read(char* out, std::size_t size);
  [[nodiscard]] bool Write(std::string_view bytes);
  // Nothing is written any more; the descriptor stays open.
  void SayClosed();
  // Bytes are there that the descriptor does not show any more.
  [[nodiscard]] bool HasPending() const;
  // What the client asked for by SNI, and the common name of its certificate; "" = none.
  [[nodiscard]] std::string server_name() const;
  [[nodiscard]] std::string client_name() const;

 private:
  friend class TlsAcceptor;
  struct State;
  explicit TlsSocket(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class TlsAcceptor {
 public:
  // `client_ca`: PEM; clients need a certificate of it. "" = they need none.
  explicit TlsAcceptor(const Issued& server, const std::string& client_ca = "");
  ~TlsAcceptor();
  TlsAcceptor(const TlsAcceptor&) = delete;
  TlsAcceptor& operator=(const TlsAcceptor&) = delete;

  // Nothing newer than TLS 1.1 is spoken.
  void SpeakOnlyOldVersions();
  // Blocks for the handshake. Null: it failed.
  [[nodiscard]] std::unique_ptr<TlsSocket> Accept(int socket) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::app
