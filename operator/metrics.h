// The series of /metrics: what is handed over by the id of a row of metric_table, as Prometheus
// reads it. From any thread: the loop counts, the API client's threads too, a server's thread
// reads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "controllers/ports/telemetry.h"

namespace muster::app {

class Metrics {
 public:
  using Labels = ports::Telemetry::Labels;
  // The content type of Text.
  static constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";

  // `profile`: the value of the label of that name.
  explicit Metrics(const std::string& profile);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // As ports::Telemetry has them. The labels are those of the row, in its order, but `profile`.
  void Count(std::string_view id, std::int64_t by, Labels labels);
  void Gauge(std::string_view id, std::int64_t value, Labels labels);
  void Observe(std::string_view id, std::int64_t value, Labels labels);
  void Forget(Labels object);

  // All of it, in the order of names and labels.
  [[nodiscard]] std::string Text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::app
