// Certificates made on the spot: an authority, and what it signs. For servers on loopback, of tests
// and of muster-local; nothing of it is kept.
#pragma once

#include <memory>
#include <string>

namespace muster::app {

struct Issued {
  std::string certificate{}, key{};  // PEM; the certificate with the intermediates above it.
};

class CertificateAuthority {
 public:
  explicit CertificateAuthority(const std::string& name);
  // An intermediate one, which `issuer` has signed and outlives.
  CertificateAuthority(const std::string& name, const CertificateAuthority& issuer);
  ~CertificateAuthority();
  CertificateAuthority(const CertificateAuthority&) = delete;
  CertificateAuthority& operator=(const CertificateAuthority&) = delete;

  [[nodiscard]] std::string pem() const;

  // `alternatives`: "DNS:localhost,IP:127.0.0.1"; "" = none.
  [[nodiscard]] Issued Issue(const std::string& common_name, const std::string& alternatives,
                             bool expired = false) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::app
