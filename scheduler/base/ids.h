// Dense row numbers and the two clocks. A StrongId never leaves the process; what travels is a name
// or a uid.
#pragma once

#include <compare>
#include <cstdint>

namespace muster {

template <class Tag>
struct StrongId {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(StrongId, StrongId) = default;
};

// Milliseconds of a clock that never goes back: backoff, deadlines of journal entries.
struct Ticks {
  std::int64_t ms = 0;
  friend constexpr auto operator<=>(Ticks, Ticks) = default;
};

// Milliseconds since 1970-01-01 UTC, as API objects carry them: queue time, run times. It may jump;
// nothing expires by it.
struct Wall {
  std::int64_t ms = 0;
  friend constexpr auto operator<=>(Wall, Wall) = default;
};

struct Now {
  Ticks mono;
  Wall wall;
};

namespace scheduler {

using NodeId = StrongId<struct NodeTag>;
using PodId = StrongId<struct PodTag>;
using GangId = StrongId<struct GangTag>;
using QueueId = StrongId<struct QueueTag>;
using ShapeId = StrongId<struct ShapeTag>;        // Pods whose scheduling-relevant spec is equal.
using ResourceId = StrongId<struct ResourceTag>;  // An interned resource name.

}  // namespace scheduler
}  // namespace muster
