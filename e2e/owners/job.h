// The Job controller's decision about one Job, as a pure function of the Job, its pods and what it
// remembers of them (pkg/controller/job/job_controller.go, without finalizers on pods: the pods
// that have been counted are remembered instead).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

struct JobOptions {
  // Before what failed is made again: doubled with each failure since the last success.
  std::int64_t backoff_ms = 10'000, max_backoff_ms = 600'000;
};

// By UID.
struct JobMemory {
  std::set<std::string> counted;  // Pods whose end is in the Job's status.
  std::set<std::string> alive;    // As of the last look.
  std::set<std::string> dropped;  // Deleted by the controller: that is no failure.
  std::int64_t failures_in_row = 0, last_failure_ms = 0;
};

struct JobStep {
  Json status;                           // Null: it stays.
  std::vector<Json> create;              // Pods.
  std::vector<Json> remove;              // Pods, as they were seen.
  bool expired = false;                  // ttlSecondsAfterFinished is over.
  std::optional<std::int64_t> again_ms;  // When time alone changes something.
};

[[nodiscard]] JobStep PlanJob(const Json& job, const std::vector<const Json*>& pods,
                              JobMemory& memory, const JobOptions& options, std::int64_t now_ms);

// "0-2,5": how a status writes indexes; and back.
[[nodiscard]] std::string IndexesText(const std::set<std::int64_t>& indexes);
[[nodiscard]] std::set<std::int64_t> ParseIndexes(const std::string& text);

}  // namespace muster::e2e
