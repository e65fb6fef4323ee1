#include "operator/testing/certificates.h"

#include <atomic>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "scheduler/base/check.h"

namespace muster::app {
namespace {

constexpr long kHour = 3600;
constexpr long kYear = 365 * 24 * kHour;

template <class T, void (*kFree)(T*)>
struct FreeIssued {
  void operator()(T* object) const { kFree(object); }
};
using OwnedCertificate = std::unique_ptr<X509, FreeIssued<X509, X509_free>>;
using OwnedKey = std::unique_ptr<EVP_PKEY, FreeIssued<EVP_PKEY, EVP_PKEY_free>>;
using OwnedBytes = std::unique_ptr<BIO, FreeIssued<BIO, BIO_free_all>>;

struct Wish {
  std::string common_name;
  int extension = 0;  // And its value.
  std::string value;
  bool expired = false;
};

void Add(X509* certificate, int extension, const std::string& value) {
  X509_EXTENSION* made = X509V3_EXT_conf_nid(nullptr, nullptr, extension, value.c_str());
  MUSTER_CHECK(made != nullptr);
  MUSTER_CHECK(X509_add_ext(certificate, made, -1) == 1);
  X509_EXTENSION_free(made);
}

// Signed by `issuer_key`; without an issuer, by itself.
OwnedCertificate Make(const Wish& wish, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key) {
  static std::atomic<long> serial = 1;
  OwnedCertificate made(X509_new());
  (void)X509_set_version(made.get(), X509_VERSION_3);
  (void)ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial++);
  (void)X509_gmtime_adj(X509_getm_notBefore(made.get()), -2 * kHour);
  (void)X509_gmtime_adj(X509_getm_notAfter(made.get()), wish.expired ? -kHour : kYear);
  (void)X509_set_pubkey(made.get(), key);
  const std::string& name = wish.common_name;
  X509_NAME* subject = X509_get_subject_name(made.get());
  (void)X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(name.data()),
                                   static_cast<int>(name.size()), -1, 0);
  (void)X509_set_issuer_name(made.get(),
                             issuer == nullptr ? subject : X509_get_subject_name(issuer));
  if (!wish.value.empty()) Add(made.get(), wish.extension, wish.value);
  MUSTER_CHECK(X509_sign(made.get(), issuer_key, EVP_sha256()) > 0);
  return made;
}

std::string TextOf(const OwnedBytes& bytes) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bytes.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string PemOf(X509* certificate) {
  const OwnedBytes bytes(BIO_new(BIO_s_mem()));
  MUSTER_CHECK(PEM_write_bio_X509(bytes.get(), certificate) == 1);
  return TextOf(bytes);
}

std::string PemOf(EVP_PKEY* key) {
  const OwnedBytes bytes(BIO_new(BIO_s_mem()));
  MUSTER_CHECK(PEM_write_bio_PrivateKey(bytes.get(), key, nullptr, nullptr, 0, nullptr, nullptr) ==
               1);
  return TextOf(bytes);
}

}  // namespace

struct CertificateAuthority::State {
  OwnedKey key{EVP_EC_gen("P-256")};
  OwnedCertificate certificate;
  std::string above;  // The intermediates, this one too.
};

CertificateAuthority::CertificateAuthority(const std::string& name)
    : state_(std::make_unique<State>()) {
  const Wish wish{.common_name = name,
                  .extension = NID_basic_constraints,
                  .value = "critical,CA:TRUE",
                  .expired = false};
  state_->certificate = Make(wish, state_->key.get(), nullptr, state_->key.get());
}

CertificateAuthority::CertificateAuthority(const std::string& name,
                                           const CertificateAuthority& issuer)
    : state_(std::make_unique<State>()) {
  const Wish wish{.common_name = name,
                  .extension = NID_basic_constraints,
                  .value = "critical,CA:TRUE",
                  .expired = false};
  state_->certificate =
      Make(wish, state_->key.get(), issuer.state_->certificate.get(), issuer.state_->key.get());
  state_->above = pem() + issuer.state_->above;
}

CertificateAuthority::~CertificateAuthority() = default;

std::string CertificateAuthority::pem() const {
  return PemOf(state_->certificate.get());
}

Issued CertificateAuthority::Issue(const std::string& common_name, const std::string& alternatives,
                                   bool expired) const {
  const OwnedKey key(EVP_EC_gen("P-256"));
  const OwnedCertificate made = Make({.common_name = common_name,
                                      .extension = NID_subject_alt_name,
                                      .value = alternatives,
                                      .expired = expired},
                                     key.get(), state_->certificate.get(), state_->key.get());
  return {.certificate = PemOf(made.get()) + state_->above, .key = PemOf(key.get())};
}

}  // namespace muster::app
