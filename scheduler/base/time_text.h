// Times of the wall clock as API objects and people write them (RFC 3339). Pure: no clock, no time
// zone of the machine.
#pragma once

#include <cstdint>
#include <string>

namespace muster {

// Milliseconds since 1970-01-01 UTC as "2026-09-01T00:00:00Z": what is below a second is dropped.
[[nodiscard]] std::string TimeText(std::int64_t ms);

}  // namespace muster
