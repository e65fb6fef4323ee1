#include "operator/tls.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "scheduler/base/check.h"

namespace muster::app {
// OpenSSL's objects, each freed by its own function.
namespace openssl {

template <class T, void (*kFree)(T*)>
struct FreeBy {
  void operator()(T* object) const { kFree(object); }
};
using Certificate = std::unique_ptr<X509, FreeBy<X509, X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, FreeBy<EVP_PKEY, EVP_PKEY_free>>;
using TrustStore = std::unique_ptr<X509_STORE, FreeBy<X509_STORE, X509_STORE_free>>;
using Reader = std::unique_ptr<BIO, FreeBy<BIO, BIO_free_all>>;
struct FreeChain {
  void operator()(STACK_OF(X509) * chain) const { sk_X509_pop_free(chain, X509_free); }
};
using Chain = std::unique_ptr<STACK_OF(X509), FreeChain>;

}  // namespace openssl

namespace {

// Where a context keeps what its owner wants back.
constexpr int kOurs = 0;

Error BadPem(const std::string& what) {
  return {Code::kInvalidArgument, what};
}

openssl::Reader ReaderOf(const std::string& text) {
  return openssl::Reader(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// The library's own would ask for the password on the terminal.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*none*/) {
  return -1;
}

// All certificates of a PEM text, in its order.
Result<std::vector<openssl::Certificate>> ReadCertificates(const std::string& text) {
  std::vector<openssl::Certificate> found;
  const openssl::Reader reader = ReaderOf(text);
  ERR_clear_error();
  while (X509* certificate = PEM_read_bio_X509(reader.get(), nullptr, NoPassword, nullptr)) {
    found.emplace_back(certificate);
  }
  // How a text ends that holds no further one.
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!at_end) return BadPem("holds a certificate that cannot be read");
  if (found.empty()) return BadPem("holds no certificate in PEM form");
  return found;
}

Error Within(const std::string& what, const Error& error) {
  return {error.code, what + " " + error.message};
}

// A certificate of the bundle is trusted whether it signed itself or not, as Go takes it.
Result<openssl::TrustStore> ReadTrust(const std::string& ca) {
  openssl::TrustStore store(X509_STORE_new());
  if (ca.empty()) {
    (void)X509_STORE_set_default_paths(store.get());
    return store;
  }
  Result<std::vector<openssl::Certificate>> bundle = ReadCertificates(ca);
  if (!bundle.ok()) return Within("the certificate authority", bundle.error());
  for (const openssl::Certificate& one : bundle.value())
    (void)X509_STORE_add_cert(store.get(), one.get());
  return store;
}

bool IsIpAddress(const std::string& name) {
  in6_addr address{};
  return ::inet_pton(AF_INET, name.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &address) == 1;
}

}  // namespace

struct TlsMaterial::Parts {
  openssl::TrustStore trust;
  openssl::Certificate leaf;
  openssl::Chain chain;
  openssl::PrivateKey key;

  Result<void> ReadOurs(const TlsPems& pems);
};

Result<void> TlsMaterial::Parts::ReadOurs(const TlsPems& pems) {
  if (pems.certificate.empty() != pems.key.empty()) {
    return BadPem("a client certificate and its key are needed together");
  }
  if (pems.certificate.empty()) return {};
  Result<std::vector<openssl::Certificate>> ours = ReadCertificates(pems.certificate);
  if (!ours.ok()) return Within("the client certificate", ours.error());
  chain.reset(sk_X509_new_null());
  leaf = std::move(ours.value().front());
  for (std::size_t i = 1; i < ours.value().size(); ++i) {
    (void)sk_X509_push(chain.get(), ours.value()[i].release());
  }
  const openssl::Reader reader = ReaderOf(pems.key);
  key.reset(PEM_read_bio_PrivateKey(reader.get(), nullptr, NoPassword, nullptr));
  ERR_clear_error();
  if (key == nullptr) {
    return BadPem("the client key holds no private key in PEM form without a password");
  }
  const bool fits = X509_check_private_key(leaf.get(), key.get()) == 1;
  ERR_clear_error();
  if (!fits) return BadPem("the client key is not that of the client certificate");
  return {};
}

TlsMaterial::TlsMaterial(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

TlsMaterial::~TlsMaterial() = default;

Result<std::shared_ptr<const TlsMaterial>> TlsMaterial::Parse(const TlsPems& pems) {
  auto parts = std::make_unique<Parts>();
  MUSTER_ASSIGN(parts->trust, ReadTrust(pems.ca));
  MUSTER_TRY(parts->ReadOurs(pems));
  return std::shared_ptr<const TlsMaterial>(new TlsMaterial(std::move(parts)));
}

struct TlsClient::State {
  std::string name;
  std::shared_ptr<const TlsMaterial> material;
  std::string problem;  // Of the last certificate that was refused.

  void Dress(SSL* ssl) const;
  static void OnInfo(const SSL* ssl, int where, int value);
  static int OnCertificate(X509_STORE_CTX* chain, void* state);
};

// A certificate's common name is no name of the server any more (RFC 9525). An IP address must not
// be asked for by SNI (RFC 6066, section 3), which the HTTP library has done at this point.
void TlsClient::State::Dress(SSL* ssl) const {
  const TlsMaterial::Parts& parts = *material->parts_;
  // The library's macros for these calls cast in ways that ours may not.
  MUSTER_CHECK(SSL_ctrl(ssl, SSL_CTRL_SET_VERIFY_CERT_STORE, 1, parts.trust.get()) == 1);
  X509_VERIFY_PARAM* param = SSL_get0_param(ssl);
  (void)X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
  if (IsIpAddress(name)) {
    MUSTER_CHECK(X509_VERIFY_PARAM_set1_ip_asc(param, name.c_str()) == 1);
    (void)SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, nullptr);
  } else {
    X509_VERIFY_PARAM_set_hostflags(
        param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    MUSTER_CHECK(X509_VERIFY_PARAM_set1_host(param, name.c_str(), name.size()) == 1);
    std::string asked = name;
    (void)SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, asked.data());
  }
  SSL_certs_clear(ssl);
  if (parts.leaf == nullptr) return;
  (void)SSL_use_cert_and_key(ssl, parts.leaf.get(), parts.key.get(), parts.chain.get(), 1);
}

// The one call that OpenSSL makes before it writes its first message. It hands out const what it
// lets nobody read only.
void TlsClient::State::OnInfo(const SSL* ssl, int where, int /*value*/) {
  if (where != SSL_CB_HANDSHAKE_START) return;
  const auto* state = static_cast<const State*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), kOurs));
  state->Dress(const_cast<SSL*>(ssl));
}

int TlsClient::State::OnCertificate(X509_STORE_CTX* chain, void* state) {
  const int good = X509_verify_cert(chain);
  if (good > 0) return good;
  auto* self = static_cast<State*>(state);
  const int code = X509_STORE_CTX_get_error(chain);
  const bool is_name =
      code == X509_V_ERR_HOSTNAME_MISMATCH || code == X509_V_ERR_IP_ADDRESS_MISMATCH;
  self->problem = "its certificate is not trusted: " +
                  (is_name ? "it is not valid for " + self->name
                           : std::string(X509_verify_cert_error_string(code)));
  return good;
}

TlsClient::TlsClient(ssl_ctx_st* context, std::string name, bool verify)
    : state_(std::make_unique<State>()) {
  MUSTER_CHECK(!name.empty());  // OpenSSL takes that for "any name".
  state_->name = std::move(name);
  (void)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  (void)SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  (void)SSL_CTX_set_ex_data(context, kOurs, state_.get());
  SSL_CTX_set_info_callback(context, &State::OnInfo);
  SSL_CTX_set_verify(context, verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (verify) SSL_CTX_set_cert_verify_callback(context, &State::OnCertificate, state_.get());
}

TlsClient::~TlsClient() = default;

void TlsClient::Use(std::shared_ptr<const TlsMaterial> material) {
  state_->material = std::move(material);
}

const std::shared_ptr<const TlsMaterial>& TlsClient::material() const {
  return state_->material;
}

void TlsClient::Begin() {
  ERR_clear_error();
  state_->problem.clear();
}

// What the queue of the thread holds first came first; what follows from it comes behind.
std::string TlsClient::TakeProblem() {
  std::string problem = std::exchange(state_->problem, {});
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  if (problem.empty() && reason != nullptr) problem = reason;
  ERR_clear_error();
  return problem;
}

Result<std::string> DecodeBase64(std::string_view text) {
  std::string dense;
  std::ranges::copy_if(text, std::back_inserter(dense), [](char c) {
    return std::string_view(" \t\r\n").find(c) == std::string_view::npos;
  });
  std::vector<unsigned char> bytes(dense.size() / 4 * 3 + 1);
  const std::vector<unsigned char> in(dense.begin(), dense.end());
  const int size = EVP_DecodeBlock(bytes.data(), in.data(), static_cast<int>(in.size()));
  if (size < 0) return Error{Code::kInvalidArgument, "is not base64"};
  // It counts the bytes that the padding stands for.
  const std::size_t padding = dense.ends_with("==") ? 2 : dense.ends_with('=') ? 1 : 0;
  return std::string(bytes.begin(), bytes.begin() + size - static_cast<std::ptrdiff_t>(padding));
}

std::string EncodeBase64(std::string_view bytes) {
  const std::vector<unsigned char> in(bytes.begin(), bytes.end());
  std::vector<unsigned char> out((in.size() + 2) / 3 * 4 + 1);
  const int size = EVP_EncodeBlock(out.data(), in.data(), static_cast<int>(in.size()));
  return {out.begin(), out.begin() + size};
}

}  // namespace muster::app
