// What there is to do for a gang, from its objects alone: the members to place next, or why none
// can be. A pure function: the cycle acts on it, the status words it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/framework/plugin_set.h"
#include "scheduler/model/cluster.h"
#include "scheduler/solve/quorum.h"
#include "scheduler/solve/retry.h"

namespace muster::scheduler {

// How many pods of one shape. Two gangs with equal lists ask for the same.
struct Demand {
  ShapeId shape;
  std::int32_t count = 0;
  friend auto operator<=>(const Demand&, const Demand&) = default;
};

struct Work {
  enum class Kind : std::uint8_t {
    kNone,     // Nothing waits: running whole, binding, finished or gone.
    kHeld,     // It may not be tried; see `held`.
    kMinimum,  // All of `pods` are placed together or none is.
    kSurplus,  // Members beyond the minimum: each of `pods` for itself.
  };
  enum class Held : std::uint8_t {
    kNo,
    kPodGroupNotFound,
    kInvalid,
    kUnknownLevel,
    kPriorityClassNotFound,
    kQueueNotFound,
    kQueueInactive,
    kNamespaceNotAllowed,
    kQueueStopped,
    kNotEnoughMembers,
    kByPlugin,  // PreEnqueue; `text` says why.
    kGivingUp,  // An entry of it is being undone, or will be (half bound, intent lost).
    kBackoff,   // After an error, until Retry::not_before.
  };
  Kind kind{};
  Held held{};
  std::string text;
  // Some members are bound and the gang never ran whole: it is completed around them, or undone.
  bool half = false;
  // Members replace lost ones of a gang that ran, or are surplus: the entry has minimum 0.
  bool detached = false;
  std::vector<PodId> pods;      // In the order of Placeable.
  std::vector<Demand> demands;  // Of `pods`, by shape.
};

[[nodiscard]] Work Assess(const Cluster& cluster, const PluginSet& plugins,
                          const RetryTable& retries, Now now, GangId gang);

// It has run whole, by what was seen or by what its status has kept: a member that it loses is
// replaced alone. Says nothing of a gang that has no member bound any more.
[[nodiscard]] bool HasRun(const Cluster& cluster, const RetryTable& retries, GangId gang);
// It waits for a part of what it needs, and what it has of a former run is charged all the same: it
// stays admitted, whatever it lost or its minimum was raised to.
[[nodiscard]] bool KeepsAdmission(const Cluster& cluster, const RetryTable& retries, GangId gang);
// The queue to which what is placed of the gang is charged; none: nothing is.
[[nodiscard]] std::optional<QueueId> PayerOf(const Cluster& cluster, GangId gang);
// True while an entry of the gang is open in this state (surplus entries too).
[[nodiscard]] bool HasEntry(const Cluster& cluster, GangId gang, EntryState state);
// True while the entry that brings the gang to its minimum is open and not given up.
[[nodiscard]] bool IsBinding(const Cluster& cluster, GangId gang);
// Neither the gang nor one of its bound members has an open entry. A pod stands in one only, so
// what was found at take-over comes to its end first; and pins are annotations, which users can
// edit: the entry may be another gang's.
[[nodiscard]] bool BoundOutsideEntries(const Cluster& cluster, GangId gang);
[[nodiscard]] Wall QueueTime(const Cluster& cluster, const RetryTable& retries, GangId gang);
// By what the shapes ask for (their ids have no order of meaning), without repeats.
[[nodiscard]] std::vector<Demand> DemandsOf(const Cluster& cluster, const std::vector<PodId>& pods);
// In the order in which the shapes first appear.
[[nodiscard]] std::vector<std::pair<ShapeId, std::vector<PodId>>> ByShape(
    const Cluster& cluster, const std::vector<PodId>& pods);

}  // namespace muster::scheduler
