// TLS of our connections to the API server, by OpenSSL, which no other file of the operator calls:
// what is trusted, who we are, and the check of the server's name. All of it is OpenSSL's own, done
// within the handshake: the HTTP library would trust the system's roots beside a pinned CA, and
// reads past the end of short IP addresses in a certificate.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "scheduler/base/result.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX.

namespace muster::app {

// PEM texts.
struct TlsPems {
  std::string ca{};                  // Trusted, and nothing else is; "" = the system's roots.
  std::string certificate{}, key{};  // Ours, with its intermediates; both or none.
  friend bool operator==(const TlsPems&, const TlsPems&) = default;
};

// TlsPems, parsed. From any thread; never changes.
class TlsMaterial {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const TlsMaterial>> Parse(const TlsPems& pems);
  ~TlsMaterial();
  TlsMaterial(const TlsMaterial&) = delete;
  TlsMaterial& operator=(const TlsMaterial&) = delete;

 private:
  friend class TlsClient;
  struct Parts;
  explicit TlsMaterial(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// What every handshake of one client goes by. The thread that connects, only.
class TlsClient {
 public:
  // `name`: of the server, a DNS name or an IP address. Not `verify`: any certificate will do.
  TlsClient(ssl_ctx_st* context, std::string name, bool verify);
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  // From the next handshake on.
  void Use(std::shared_ptr<const TlsMaterial> material);
  [[nodiscard]] const std::shared_ptr<const TlsMaterial>& material() const;

  // Around a request: why TLS failed in between, "" if it did not.
  void Begin();
  [[nodiscard]] std::string TakeProblem();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// White space is skipped.
[[nodiscard]] Result<std::string> DecodeBase64(std::string_view text);
[[nodiscard]] std::string EncodeBase64(std::string_view bytes);

}  // namespace muster::app
