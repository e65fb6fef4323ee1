// A kubeconfig is an endpoint that can be connected to, or one line that says what is wrong.
#include <string>

#include "e2e/fuzz/fuzz.h"
#include "operator/kubeconfig.h"
#include "scheduler/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  auto endpoint = app::ParseKubeconfig(std::string(e2e::TextOf(data, size)));
  if (!endpoint.ok()) {
    MUSTER_CHECK(!endpoint.error().message.empty());
    return 0;
  }
  if (e2e::Planted()) endpoint.value().port = 0;
  MUSTER_CHECK(!endpoint.value().host.empty());
  MUSTER_CHECK(endpoint.value().port > 0 && endpoint.value().port < 65'536);
  return 0;
}
