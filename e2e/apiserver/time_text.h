// Times as the API writes them (RFC 3339, UTC) and ages as kubectl shows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::e2e {

// "2026-09-01T00:00:00Z".
[[nodiscard]] std::string TimeText(std::int64_t ms);
// Milliseconds since 1970 of a Time or MicroTime in UTC; nothing when it is neither.
[[nodiscard]] std::optional<std::int64_t> ParseTime(std::string_view text);
// k8s.io/apimachinery duration.HumanDuration: "5s", "3m20s", "2d4h".
[[nodiscard]] std::string AgeText(std::int64_t ms);

}  // namespace muster::e2e
