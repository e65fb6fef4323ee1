// Kubernetes quantities ("500m", "1Gi", "1.5", "2e3") to amounts in the inner unit, exactly: no
// floating point, rounded up as Kubernetes does. How an amount is written: scheduler/base/units.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "scheduler/base/result.h"
#include "scheduler/base/units.h"

namespace muster::crds {

struct Quantity {
  std::int64_t amount = 0;  // 0 to kAmountMax.
  bool clipped = false;     // What was written lies outside of that.
  friend bool operator==(const Quantity&, const Quantity&) = default;
};

// An Error for what is no quantity; one that is too large or negative is clipped.
[[nodiscard]] Result<Quantity> ParseQuantity(std::string_view text, Unit unit);

// A quota that somebody wrote: what is negative or passes int64 is an Error too, "1e30 is more than
// 9223372036854775807".
[[nodiscard]] Result<Quantity> ParseQuota(std::string_view text, Unit unit);

}  // namespace muster::crds
