// Pacing of repeated requests: 100 ms doubling to 5 s, a quarter of it drawn, so that members of a
// gang do not come back in one burst. Loop thread only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "controllers/ports/loop.h"

namespace muster::controllers {

inline constexpr std::int64_t kBackoffMs = 100;
inline constexpr std::int64_t kBackoffMsMax = 5'000;

// `attempt` counts from 0.
[[nodiscard]] inline std::int64_t BackoffMs(ports::Loop& loop, std::int32_t attempt) {
  const std::int64_t full = std::min(kBackoffMs << std::min(attempt, 10), kBackoffMsMax);
  const std::int64_t drawn = full / 4;
  return full - static_cast<std::int64_t>(loop.Random() % static_cast<std::uint64_t>(drawn + 1));
}

}  // namespace muster::controllers
