#include "operator/telemetry.h"

#include <chrono>
#include <utility>

namespace muster::app {

void ProcessTelemetry::Log(ports::Level level, std::string_view message, Fields fields) {
  logger_.Log(level, message, fields);
}

// Looked up without making a string: this runs for every Binding.
void ProcessTelemetry::Count(std::string_view counter, std::int64_t by, Labels labels) {
  auto found = counters_.find(counter);
  if (found == counters_.end()) found = counters_.emplace(std::string(counter), 0).first;
  found->second += by;
  metrics_.Count(counter, by, labels);
}

void ProcessTelemetry::Gauge(std::string_view gauge, std::int64_t value, Labels labels) {
  metrics_.Gauge(gauge, value, labels);
}

void ProcessTelemetry::Observe(std::string_view histogram, std::int64_t value, Labels labels) {
  metrics_.Observe(histogram, value, labels);
}

void ProcessTelemetry::Forget(Labels object) {
  metrics_.Forget(object);
}

std::int64_t ProcessTelemetry::Micros() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void ProcessTelemetry::LogCounters() const {
  Fields fields;
  for (const auto& [name, value] : counters_) fields.emplace_back(name, value);
  logger_.Log(ports::Level::kInfo, "counters", fields);
}

}  // namespace muster::app
