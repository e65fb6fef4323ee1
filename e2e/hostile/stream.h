// Hostile objects in what an operator lists and watches, as no API server would send them, on
// virtual time: the operator's own reader, controllers and core. Each object is either refused with
// a line in the log that tells of it, or known to the core; of what is known, each PodGroup, Queue
// and waiting pod is told something; and a healthy gang beside each batch starts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "e2e/hostile/objects.h"
#include "e2e/hostile/verdict.h"

namespace muster::e2e {

struct StreamRun {
  std::uint64_t seed = 1;
  std::size_t first = 0, count = 0;
  // Planted: a kind is heard of no more after its first object that cannot be read; there is no
  // operator at all.
  bool gives_up = false, no_operator = false;
};
[[nodiscard]] HostileVerdict PlayStream(const HostileObjects& objects, const StreamRun& run);

}  // namespace muster::e2e
