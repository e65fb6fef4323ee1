// What the controllers say about themselves: log lines and counters. Implementations: operator/
// logging (spdlog, metrics) and the simulation (an error line fails a run). From the loop only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::ports {

// kError: somebody has to look at it. What users or the API server do in normal life (a conflict,
// a refusal, a time-out) is at most a kWarning.
enum class Level : std::uint8_t { kDebug, kInfo, kWarning, kError };

class Telemetry {
 public:
  using Fields = std::vector<std::pair<std::string_view, std::string>>;

  virtual ~Telemetry() = default;
  virtual void Log(Level level, std::string_view message, Fields fields) = 0;
  // Adds to a counter, for example "bindings_answered".
  virtual void Count(std::string_view counter, std::int64_t by) = 0;
  // A stopwatch in microseconds, for what is shown only, never an input of anything. A simulation
  // answers 0.
  [[nodiscard]] virtual std::int64_t Micros() const = 0;
};

}  // namespace muster::ports
