// Hostile objects as a client applies them, over HTTP to muster-local with muster beside it: each
// is answered with 2xx, or with 4xx and a Status that says why; of what is taken, each PodGroup,
// Queue and waiting pod gets its condition, and each node is counted; one gang runs on untouched,
// and another one starts beside each batch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "e2e/hostile/objects.h"
#include "e2e/hostile/verdict.h"

namespace muster::e2e {

struct ApplyRun {
  std::size_t first = 0, count = 0;
  std::int64_t patience_ms = 60'000;  // For each thing that must come.
  // Planted: the answer to the first object is a 500; muster ends before the first.
  bool server_error = false, no_operator = false;
};
[[nodiscard]] HostileVerdict PlayApply(const HostileObjects& objects, const ApplyRun& run);

}  // namespace muster::e2e
