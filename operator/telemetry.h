// ports::Telemetry of the process: lines to the log, numbers to the metrics. Its counters are one
// line of the log at the end. Loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "controllers/ports/telemetry.h"
#include "operator/logging.h"
#include "operator/metrics.h"

namespace muster::app {

class ProcessTelemetry final : public ports::Telemetry {
 public:
  ProcessTelemetry(const Logger& logger, Metrics& metrics) : logger_(logger), metrics_(metrics) {}

  void Log(ports::Level level, std::string_view message, Fields fields) override;
  using ports::Telemetry::Count;
  void Count(std::string_view counter, std::int64_t by, Labels labels) override;
  void Gauge(std::string_view gauge, std::int64_t value, Labels labels) override;
  void Observe(std::string_view histogram, std::int64_t value, Labels labels) override;
  void Forget(Labels object) override;
  [[nodiscard]] std::int64_t Micros() const override;

  void LogCounters() const;

 private:
  const Logger& logger_;
  Metrics& metrics_;
  std::map<std::string, std::int64_t, std::less<>> counters_;  // Whatever the labels.
};

}  // namespace muster::app
