// A kubeconfig is an API server that can be connected to, with whatever it names resolved, or one
// line that says what is wrong.
#include <string>

#include "e2e/fuzz/fuzz.h"
#include "operator/kubeconfig.h"
#include "scheduler/base/check.h"

namespace {

using muster::app::ClusterAccess;
using muster::app::PemSource;

bool IsResolved(const std::string& file) {
  return file.empty() || file.starts_with('/');
}

bool IsGiven(const PemSource& pem) {
  return !pem.text.empty() || !pem.file.empty();
}

void Check(const ClusterAccess& access) {
  MUSTER_CHECK(!access.host.empty());
  MUSTER_CHECK(access.port > 0 && access.port < 65'536);
  MUSTER_CHECK(access.prefix.empty() || access.prefix.starts_with('/'));
  MUSTER_CHECK(access.prefix.find("..") == std::string::npos);
  MUSTER_CHECK(!access.server_name.empty() && !access.server_name.starts_with('.'));
  // Nothing that is written down is without effect.
  MUSTER_CHECK(access.tls ||
               (access.verify && !IsGiven(access.ca) && !IsGiven(access.certificate)));
  MUSTER_CHECK(access.verify || !IsGiven(access.ca));
  MUSTER_CHECK(IsGiven(access.certificate) == IsGiven(access.key));
  for (const PemSource* pem : {&access.ca, &access.certificate, &access.key}) {
    MUSTER_CHECK(IsResolved(pem->file));
  }
  MUSTER_CHECK(IsResolved(access.token_file));
  if (!access.exec.has_value()) return;
  MUSTER_CHECK(!access.exec->command.empty() && !access.exec->api_version.empty());
  MUSTER_CHECK(access.token.empty() && access.token_file.empty() && !IsGiven(access.certificate));
}

}  // namespace

int muster::e2e::FuzzKubeconfig(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  auto access = app::ParseKubeconfig(std::string(e2e::TextOf(data, size)), "/etc/muster");
  if (!access.ok()) {
    MUSTER_CHECK(!access.error().message.empty());
    return 0;
  }
  if (e2e::Planted()) access.value().port = 0;
  Check(access.value());
  return 0;
}
