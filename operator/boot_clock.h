// Milliseconds since the machine started, time in suspend included (CLOCK_BOOTTIME): a leader that
// slept through the end of its lease must notice. steady_clock stops in suspend. From any thread.
#pragma once

#include <cstdint>
#include <ctime>

namespace muster::app {

[[nodiscard]] inline std::int64_t BootMs() {
  timespec now{};
  (void)::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
}

}  // namespace muster::app
