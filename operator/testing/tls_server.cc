#include "operator/testing/tls_server.h"

#include <array>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "scheduler/base/check.h"

namespace muster::app {
namespace {

struct FreeBytes {
  void operator()(BIO* bytes) const { BIO_free_all(bytes); }
};

std::unique_ptr<BIO, FreeBytes> BytesOf(const std::string& text) {
  return std::unique_ptr<BIO, FreeBytes>(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

X509* NextCertificate(BIO* bytes) {
  return PEM_read_bio_X509(bytes, nullptr, nullptr, nullptr);
}

}  // namespace

struct TlsSocket::State {
  explicit State(SSL* made) : ssl(made) {}
  ~State() {
    SayClosed();
    SSL_free(ssl);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void SayClosed() const {
    (void)SSL_shutdown(ssl);
    ERR_clear_error();
  }

  SSL* const ssl;
};

TlsSocket::TlsSocket(std::unique_ptr<State> state) : state_(std::move(state)) {}

TlsSocket::~TlsSocket() = default;

long TlsSocket::Read(char* out, std::size_t size) {
  ERR_clear_error();
  const int got = SSL_read(state_->ssl, out, static_cast<int>(size));
  if (got > 0) return got;
  return SSL_get_error(state_->ssl, got) == SSL_ERROR_ZERO_RETURN ? 0 : -1;
}

bool TlsSocket::Write(std::string_view bytes) {
  ERR_clear_error();
  std::size_t written = 0;
  return bytes.empty() || SSL_write_ex(state_->ssl, bytes.data(), bytes.size(), &written) == 1;
}

void TlsSocket::SayClosed() {
  state_->SayClosed();
}

bool TlsSocket::HasPending() const {
  return SSL_pending(state_->ssl) > 0;
}

std::string TlsSocket::server_name() const {
  const char* name = SSL_get_servername(state_->ssl, TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

std::string TlsSocket::client_name() const {
  X509* certificate = SSL_get0_peer_certificate(state_->ssl);
  if (certificate == nullptr) return "";
  std::array<char, 256> name{};
  (void)X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                                  static_cast<int>(name.size()));
  return name.data();
}

struct TlsAcceptor::State {
  ~State() { SSL_CTX_free(context); }
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
};

TlsAcceptor::TlsAcceptor(const Issued& server, const std::string& client_ca)
    : state_(std::make_unique<State>()) {
  SSL_CTX* context = state_->context;
  const auto certificates = BytesOf(server.certificate);
  X509* leaf = NextCertificate(certificates.get());
  MUSTER_CHECK(SSL_CTX_use_certificate(context, leaf) == 1);
  X509_free(leaf);
  while (X509* above = NextCertificate(certificates.get())) {
    MUSTER_CHECK(SSL_CTX_add_extra_chain_cert(context, above) == 1);
  }
  EVP_PKEY* key = PEM_read_bio_PrivateKey(BytesOf(server.key).get(), nullptr, nullptr, nullptr);
  MUSTER_CHECK(SSL_CTX_use_PrivateKey(context, key) == 1);
  EVP_PKEY_free(key);
  if (!client_ca.empty()) {
    X509* trusted = NextCertificate(BytesOf(client_ca).get());
    MUSTER_CHECK(X509_STORE_add_cert(SSL_CTX_get_cert_store(context), trusted) == 1);
    X509_free(trusted);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  ERR_clear_error();
}

TlsAcceptor::~TlsAcceptor() = default;

// Their signatures are below the library's usual level of security.
void TlsAcceptor::SpeakOnlyOldVersions() {
  SSL_CTX_set_security_level(state_->context, 0);
  MUSTER_CHECK(SSL_CTX_set_min_proto_version(state_->context, TLS1_VERSION) == 1);
  MUSTER_CHECK(SSL_CTX_set_max_proto_version(state_->context, TLS1_1_VERSION) == 1);
}

std::unique_ptr<TlsSocket> TlsAcceptor::Accept(int socket) const {
  auto state = std::make_unique<TlsSocket::State>(SSL_new(state_->context));
  (void)SSL_set_fd(state->ssl, socket);
  ERR_clear_error();
  if (SSL_accept(state->ssl) != 1) return nullptr;
  return std::unique_ptr<TlsSocket>(new TlsSocket(std::move(state)));
}

}  // namespace muster::app
