// The weather of one simulated run: how likely each fault is, per thousand. A swarm run switches
// each fault off half of the time and else draws how often it comes, so that every run has its own
// weather (Groce et al., "Swarm testing", 2012). What struck is counted: a campaign in which a kind
// of fault never came has not shown that Muster bears it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "e2e/sim/prng.h"

namespace muster::e2e {

enum class Fault : std::uint8_t {
  // Of a request.
  kLostAnswer,       // It takes effect, nobody hears.
  kLostRequest,      // It never arrives.
  kLateRequest,      // A write: it takes effect up to 60 s after it was sent.
  kLateAnswer,       // Answered up to 20 s after it took effect.
  kRepeatedRequest,  // Something on the way sends it again: two effects, two answers.
  // Of a request: refused before, or a write after it took effect.
  kConflictBefore,
  kConflictAfter,
  kThrottledBefore,
  kThrottledAfter,
  kErrorBefore,
  kErrorAfter,
  kTimeoutBefore,
  kTimeoutAfter,
  kDenied,  // A Binding: a webhook denies this pod's, until the trouble ends.
  // Of the watches.
  kWatchDrop,  // A frame: the stream ends instead.
  kCompact,    // Of a second: the history is forgotten (410).
  // Of the operator.
  kKill,          // Of anything on the wire: it is killed right then.
  kFreeze,        // Of a page or Binding: it stands still before it goes out.
  kLeaseDeleted,  // Of a second: by hand.
  kWallJump,      // Of a second: its wall clock jumps by up to an hour.
  // Of a second, of one node.
  kNodeLost,         // It is gone for 5 to 40 s.
  kNodeMadeAgain,    // It is gone for less than a second, and has a new UID.
  kNodeCordoned,     // For 5 to 40 s.
  kDevicesLost,      // Some of its devices, for 5 to 40 s.
  kKubeletStopped,   // It does nothing for 20 to 120 s. After 50 s its node is unreachable.
  kKubeletRejected,  // Of a Binding that took effect: the kubelet rejects the pod.
  // Of users and of other programs.
  kPodDeleted,     // Of a second: its owner makes it again.
  kGroupDeleted,   // Of a Binding that took effect: the PodGroup, while the others are under way.
  kLabelsEdited,   // Of a page that was stored: of a pod that it names.
  kForeignBinder,  // Of a page that was stored: somebody else binds a pod that it names.
  kPageDeleted,    // Of a second: by hand.
  kRestored,       // Of a second: the API server is as it was up to 40 s ago.
  kBudgetMade,     // Of a Binding that took effect: a PodDisruptionBudget of the half bound gang.
  kCount,
};
inline constexpr std::size_t kFaults = static_cast<std::size_t>(Fault::kCount);

struct FaultKind {
  Fault fault{};
  const char* name = nullptr;
  std::int64_t highest = 0;  // Per thousand, where a swarm has it.
};
[[nodiscard]] const std::array<FaultKind, kFaults>& FaultKinds();  // In the order of Fault.

// Likelihoods, per thousand; at first 0.
class Faults {
 public:
  [[nodiscard]] std::int64_t operator[](Fault fault) const {
    return permille_[static_cast<std::size_t>(fault)];
  }
  void Set(Fault fault, std::int64_t permille) {
    permille_[static_cast<std::size_t>(fault)] = permille;
  }

 private:
  std::array<std::int64_t, kFaults> permille_{};
};

[[nodiscard]] Faults Swarm(Prng& prng);

// The faults of a run, and how often each struck.
class Weather {
 public:
  void Set(const Faults& faults) { faults_ = faults; }
  // Whether it is to strike now. What then can strike nothing is not noted.
  [[nodiscard]] bool Draw(Fault fault, Prng& prng) const {
    return faults_[fault] > 0 && prng.Chance(faults_[fault]);
  }
  void Note(Fault fault) { ++struck_[static_cast<std::size_t>(fault)]; }
  // Both.
  [[nodiscard]] bool Strikes(Fault fault, Prng& prng) {
    const bool strikes = Draw(fault, prng);
    if (strikes) Note(fault);
    return strikes;
  }
  [[nodiscard]] std::int64_t struck(Fault fault) const {
    return struck_[static_cast<std::size_t>(fault)];
  }
  [[nodiscard]] std::map<std::string, std::int64_t> ByName() const;

 private:
  Faults faults_;
  std::array<std::int64_t, kFaults> struck_{};
};

}  // namespace muster::e2e
