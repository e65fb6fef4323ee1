// Durations as people write them for kube-scheduler's flags: Go's time.ParseDuration. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scheduler/base/result.h"

namespace muster::app {

// "15s", "1m30s", "1.5s", "500ms": milliseconds, from 0 to ten years; parts of one are cut off.
// controllers::DurationText writes them.
[[nodiscard]] Result<std::int64_t> ParseDurationMs(std::string_view text);

}  // namespace muster::app
