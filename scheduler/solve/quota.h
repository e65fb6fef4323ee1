// May a gang use its queue: what it would be charged, against nominal + borrowingLimit. A queue
// without a borrowingLimit on a resource has no ceiling there, and a resource that it does not name
// is not limited by it. Sums saturate; amounts themselves lie below 2^56.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/model/cluster.h"
#include "scheduler/solve/work.h"

namespace muster::scheduler {

// Per resource that the pods ask for, and "pods"; sorted by name.
[[nodiscard]] std::vector<Charge> ChargesOf(const Cluster& cluster,
                                            std::span<const Demand> demands);

struct QuotaVerdict {
  // The first resource, by name, on which the charge does not go in now.
  struct Short {
    std::string resource;
    std::int64_t used = 0, nominal = 0, limit = 0, charge = 0;
  };
  std::optional<Short> refused;
  bool never = false;  // The charge alone is above nominal + borrowingLimit somewhere.
  [[nodiscard]] bool ok() const { return !refused.has_value(); }
};
[[nodiscard]] QuotaVerdict CheckQuota(const Cluster& cluster, QueueId queue,
                                      std::span<const Charge> charges);

// True if the queue would use more than its nominal quota of a resource that some queue rations.
[[nodiscard]] bool WouldBorrow(const Cluster& cluster, QueueId queue,
                               std::span<const Charge> charges);

// How many pods of the shape the queue lets in now, at most `most`.
[[nodiscard]] std::int32_t QuotaSlots(const Cluster& cluster, QueueId queue, ShapeId shape,
                                      std::int32_t most);

}  // namespace muster::scheduler
