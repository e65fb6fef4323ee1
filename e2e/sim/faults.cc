#include "e2e/sim/faults.h"

namespace muster::e2e {

namespace {

// What comes once a second comes about once a run at most, so that a run ends somewhere; what comes
// of each request, often.
constexpr std::array<FaultKind, kFaults> kFaultKinds = {{
    {Fault::kLostAnswer, "answer lost", 150},
    {Fault::kLostRequest, "request lost", 100},
    {Fault::kLateRequest, "request late", 250},
    {Fault::kLateAnswer, "answer late", 100},
    {Fault::kRepeatedRequest, "request repeated", 100},
    {Fault::kConflictBefore, "409 before the effect", 60},
    {Fault::kConflictAfter, "409 after the effect", 150},
    {Fault::kThrottledBefore, "429 before the effect", 60},
    {Fault::kThrottledAfter, "429 after the effect", 60},
    {Fault::kErrorBefore, "500 before the effect", 60},
    {Fault::kErrorAfter, "500 after the effect", 60},
    {Fault::kTimeoutBefore, "504 before the effect", 60},
    {Fault::kTimeoutAfter, "504 after the effect", 60},
    {Fault::kDenied, "Binding denied", 60},
    {Fault::kWatchDrop, "watch dropped", 50},
    {Fault::kCompact, "history compacted", 100},
    {Fault::kKill, "operator killed", 8},
    {Fault::kFreeze, "operator frozen", 130},
    {Fault::kLeaseDeleted, "Lease deleted", 45},
    {Fault::kWallJump, "clock jumped", 45},
    {Fault::kNodeLost, "node lost", 40},
    {Fault::kNodeMadeAgain, "node made again", 40},
    {Fault::kNodeCordoned, "node cordoned", 40},
    {Fault::kDevicesLost, "devices lost", 40},
    {Fault::kKubeletStopped, "kubelet stopped", 20},
    {Fault::kKubeletRejected, "pod rejected by its kubelet", 160},
    {Fault::kPodDeleted, "pod deleted", 80},
    {Fault::kGroupDeleted, "PodGroup deleted", 160},
    {Fault::kLabelsEdited, "labels edited", 250},
    {Fault::kForeignBinder, "foreign binder", 250},
    {Fault::kPageDeleted, "page deleted", 20},
    {Fault::kRestored, "server restored", 15},
    {Fault::kBudgetMade, "budget made", 800},
}};

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kFaults; ++i) {
    if (static_cast<std::size_t>(kFaultKinds[i].fault) != i) return false;
  }
  return true;
}
static_assert(InOrder());

}  // namespace

const std::array<FaultKind, kFaults>& FaultKinds() {
  return kFaultKinds;
}

Faults Swarm(Prng& prng) {
  Faults faults;
  for (const FaultKind& kind : FaultKinds()) {
    if (prng.Chance(500)) continue;
    faults.Set(kind.fault, prng.Between(1, kind.highest));
  }
  return faults;
}

std::map<std::string, std::int64_t> Weather::ByName() const {
  std::map<std::string, std::int64_t> named;
  for (const FaultKind& kind : FaultKinds()) named[kind.name] = struck(kind.fault);
  return named;
}

}  // namespace muster::e2e
