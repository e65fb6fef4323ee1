// What a credential plugin writes is a credential that can be shown, or a line that says what is
// wrong and nothing of what was written.
#include <string>

#include "e2e/fuzz/fuzz.h"
#include "operator/exec_plugin.h"
#include "scheduler/base/check.h"

int muster::e2e::FuzzExecCredential(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  auto status = app::ReadExecOutput("client.authentication.k8s.io/v1", e2e::TextOf(data, size));
  if (!status.ok()) {
    MUSTER_CHECK(!status.error().message.empty());
    return 0;
  }
  if (e2e::Planted()) status.value().key.clear();
  MUSTER_CHECK(!status.value().token.empty() || !status.value().certificate.empty());
  MUSTER_CHECK(status.value().certificate.empty() == status.value().key.empty());
  return 0;
}
