// What is served on /metrics, as data: one row for each number that something hands over by its id.
// Names are kube-scheduler's and client-go's where they have one, else muster_; units are base
// units. operator/METRICS.md says the same for people (a test compares).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace muster::app {

struct MetricRow {
  enum class Type : std::uint8_t { kCounter, kGauge, kHistogram };
  // The integer that is handed over counts in this. kAmount: as the core counts the resource that
  // the label `resource` names.
  enum class Unit : std::uint8_t { kOne, kMilli, kMicro, kAmount };

  std::string_view id;    // As whoever counts calls it.
  std::string_view name;  // As it is served.
  Type type{};
  std::vector<std::string_view> labels;  // In the order in which they are handed over.
  std::string_view help;
  Unit unit{};
  std::vector<double> buckets = {};  // Of a histogram, in base units.
  bool of_queue = false;             // Ends with the Queue that label `queue` names.
};

// The label `profile`, where a row has it, comes last and is filled in by Metrics.
[[nodiscard]] const std::vector<MetricRow>& MetricTable();

}  // namespace muster::app
