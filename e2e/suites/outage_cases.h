// Outages of the API server, each in a world of its own: gangs run, one is being bound when it
// begins, and while it lasts one is removed, others are made and a node goes. In the end all that
// fits runs, and nothing was lost or bound twice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/harness/servers.h"

namespace muster::e2e {

struct OutageKind {
  const char* name = nullptr;    // As muster-local's hook takes it.
  std::int64_t seconds = 0;      // So long it lasts in full.
  std::int64_t strikes_min = 1;  // Less has shown nothing.
};
[[nodiscard]] const std::vector<OutageKind>& OutageKinds();

struct OutageRun {
  // The plant that is no fault for muster-local: the operator does nothing once it began.
  static constexpr const char* kIdle = "idle";

  Programs programs;  // The folder is of this outage alone.
  std::string plant = {};
  std::int64_t seconds = 0;
  bool short_lease = false;
  int restarts_min = 0;                // Of the operator.
  std::int64_t patience_ms = 120'000;  // For each thing that must come after it.
};

struct OutageResult {
  std::string wrong = {};  // "" = as it must be.
  std::int64_t struck = 0;
  std::int64_t recovery_ms = -1;  // From its end until all that fits ran; -1 = it never did.
  int restarts = 0;               // Of the operator.
};
[[nodiscard]] OutageResult RunOutage(const OutageKind& kind, const OutageRun& run);

}  // namespace muster::e2e
