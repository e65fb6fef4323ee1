// How long to wait before the next try: doubling, with jitter, so that many clients of a server
// that comes back do not come at once. Pure but for its own random numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

namespace muster::app {

class Backoff {
 public:
  struct Limits {
    std::int64_t min_ms = 0, max_ms = 0;  // 0 < min <= max.
  };
  Backoff(Limits limits, std::uint64_t seed)
      : limits_(limits), next_ms_(limits.min_ms), random_(seed) {}

  // Between d and 2d for d = min, 2 min, 4 min, ... up to max.
  [[nodiscard]] std::int64_t Next() {
    const std::int64_t base = next_ms_;
    next_ms_ = std::min(next_ms_ * 2, limits_.max_ms);
    return base + Below(base);
  }
  void Reset() { next_ms_ = limits_.min_ms; }
  // Uniform in [0, bound); bound > 0.
  [[nodiscard]] std::int64_t Below(std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random_);
  }

 private:
  Limits limits_;
  std::int64_t next_ms_;
  std::mt19937_64 random_;
};

}  // namespace muster::app
