// Times as API objects carry them (RFC 3339) and as this program counts them: milliseconds since
// 1970-01-01 UTC. Pure: no clock, no time zone of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scheduler/base/result.h"

namespace muster::crds {

// metav1.Time: whole seconds ("2026-09-01T00:00:00Z"); the milliseconds are dropped.
[[nodiscard]] std::string FormatTime(std::int64_t ms);
// metav1.MicroTime: always six digits after the point ("2026-09-01T00:00:00.250000Z").
[[nodiscard]] std::string FormatMicroTime(std::int64_t ms);

// Both forms, any fraction (what is below a millisecond is dropped), "Z" or an offset.
[[nodiscard]] Result<std::int64_t> ParseTime(std::string_view text);

// What FormatTime keeps of `ms`: compare stored times with this.
[[nodiscard]] std::int64_t WholeSeconds(std::int64_t ms);

}  // namespace muster::crds
