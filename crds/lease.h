// coordination.k8s.io/v1 Lease, as far as leader election reads it. What else an object carries
// (labels, annotations, fields of later versions) is written back as it was read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crds/meta.h"
#include "scheduler/base/result.h"

namespace muster::crds {

struct Lease {
  ObjectMeta meta;
  std::string holder;                 // holderIdentity; "" = nobody's.
  std::int32_t duration_seconds = 0;  // leaseDurationSeconds.
  std::string
      acquire_time;  // metav1.MicroTime as it is written; never compared with a clock of ours.
  std::string renew_time;
  std::int32_t transitions = 0;  // leaseTransitions: 0 again after the Lease was deleted.
  std::string body;              // The object as it was read; "" = it does not exist yet.
  friend bool operator==(const Lease&, const Lease&) = default;
};

[[nodiscard]] Result<Lease> DecodeLease(std::string_view json);
// POST leases (body empty), or PUT leases/NAME at the resourceVersion of `body`: the spec of
// `lease` over everything that `body` has.
[[nodiscard]] std::string EncodeLease(const Lease& lease);

}  // namespace muster::crds
