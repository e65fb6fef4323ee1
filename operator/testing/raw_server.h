// A scripted TCP server on a loopback port, with TLS or without, for what a proper HTTP server
// never does: closing in the middle, answering in single bytes, not answering. One thread per
// connection runs the script.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "operator/testing/tls_server.h"

namespace muster::app {

class RawServer {
 public:
  class Peer {
   public:
    // `tls` may be null.
    Peer(int socket, int number, TlsSocket* tls) : socket_(socket), number_(number), tls_(tls) {}
    [[nodiscard]] int number() const { return number_; }  // 0 = the first connection.
    // The next request, head and body; "" = the client closed.
    [[nodiscard]] std::string Read();
    void Write(std::string_view bytes) const;
    // Blocks until the client closes, or the server ends.
    void Hold() const;
    // Closes at once; from then on the client can see it.
    void Close();
    [[nodiscard]] const TlsSocket& tls() const { return *tls_; }

   private:
    [[nodiscard]] long ReadSome(char* out, std::size_t size);

    int socket_;
    int number_;
    TlsSocket* tls_;
    std::string buffer_;
  };
  // The connection is closed when the script returns. With TLS it runs after the handshake.
  using Script = std::function<void(Peer& peer)>;

  explicit RawServer(Script script, std::shared_ptr<const TlsAcceptor> tls = nullptr);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  [[nodiscard]] std::int32_t port() const;
  [[nodiscard]] int connections() const;  // Accepted so far.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A whole answer with Content-Length.
[[nodiscard]] std::string Answer(int status, std::string_view body,
                                 std::string_view more_headers = "");
// The head of a chunked answer, and one chunk of it.
[[nodiscard]] std::string ChunkedHead(int status);
[[nodiscard]] std::string Chunk(std::string_view bytes);

}  // namespace muster::app
