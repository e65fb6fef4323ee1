// An authority, a server's certificate for loopback, and clients that trust them. For tests of the
// client over TLS.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "operator/credentials.h"
#include "operator/testing/certificates.h"
#include "operator/testing/tls_server.h"
#include "scheduler/base/check.h"

namespace muster::app {

struct TlsBed {
  const CertificateAuthority ca{"loopback-ca"};
  const std::shared_ptr<const TlsAcceptor> server =
      std::make_shared<TlsAcceptor>(ca.Issue("server", "DNS:localhost,IP:127.0.0.1"));

  // As a kubeconfig with this server, the authority pinned, and a token.
  [[nodiscard]] ClusterAccess Access(std::int32_t port) const {
    ClusterAccess access;
    access.origin = "test";
    access.host = access.server_name = "127.0.0.1";
    access.port = port;
    access.tls = true;
    access.ca.text = ca.pem();
    access.token = "secret";
    return access;
  }
  [[nodiscard]] Endpoint To(std::int32_t port) const { return Opened(Access(port)); }

  [[nodiscard]] static Endpoint Opened(const ClusterAccess& access, CredentialTimes times = {}) {
    Result<Endpoint> to = OpenEndpoint(access, times);
    MUSTER_CHECK(to.ok());
    return std::move(to).value();
  }
};

}  // namespace muster::app
