#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "e2e/fuzz/fuzz.h"

namespace muster::e2e {
namespace {

using Target = int (*)(const std::uint8_t* data, std::size_t size);

struct Named {
  std::string_view name;
  Target target;
};

constexpr Named kTargets[] = {
    {"config", FuzzConfig},
    {"exec_credential", FuzzExecCredential},
    {"journal_page", FuzzJournalPage},
    {"kubeconfig", FuzzKubeconfig},
    {"patch", FuzzPatch},
    {"protobuf", FuzzProtobuf},
    {"quantity", FuzzQuantity},
    {"scenario", FuzzScenario},
    {"transaction", FuzzTransaction},
    {"watch", FuzzWatch},
};

Target Wanted() {
  const char* name = std::getenv("MUSTER_FUZZ");
  for (const Named& one : kTargets) {
    if (name != nullptr && one.name == name) return one.target;
  }
  std::fprintf(stderr, "MUSTER_FUZZ names no target: %s\n",
               name == nullptr ? "it is not set" : name);
  std::exit(1);
}

}  // namespace
}  // namespace muster::e2e

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const muster::e2e::Target target = muster::e2e::Wanted();
  return target(data, size);
}
