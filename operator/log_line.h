// The text of a log line. Pure.
//
//   2026-09-01T00:00:00.250Z info leading lease=muster-system/muster created=false
//   {"ts":1788220800.250000,"level":"info","v":0,"msg":"leading",
//    "lease":{"name":"muster","namespace":"muster-system"},"created":"false"}      (one line)
//
// The keys of JSON are those of KEP-1602: ts in seconds, v but for errors, msg, err; and level,
// since that has no word for a warning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "controllers/ports/telemetry.h"

namespace muster::app {

// "debug", "info", "warning", "error".
[[nodiscard]] std::string_view LevelName(ports::Level level);

// "info message key=value key="two words"". A value with spaces, quotes or line ends is quoted.
[[nodiscard]] std::string TextLine(ports::Level level, std::string_view message,
                                   const ports::Telemetry::Fields& fields);

// One JSON object. wall_us: since 1970.
[[nodiscard]] std::string JsonLine(std::int64_t wall_us, ports::Level level,
                                   std::string_view message,
                                   const ports::Telemetry::Fields& fields);

}  // namespace muster::app
