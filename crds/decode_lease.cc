#include "crds/json_fields.h"
#include "crds/lease.h"

namespace muster::crds {
namespace {

constexpr std::array kLeaseSpecFields = {
    Field<&Lease::holder>("holderIdentity"),
    Field<&Lease::duration_seconds>("leaseDurationSeconds"),
    Field<&Lease::acquire_time>("acquireTime"),
    Field<&Lease::renew_time>("renewTime"),
    Field<&Lease::transitions>("leaseTransitions"),
};
constexpr std::array kLeaseFields = {
    ObjectField<&Lease::meta, kMetaFields>("metadata"),
    InnerField<kLeaseSpecFields>("spec"),
};

}  // namespace

Result<Lease> DecodeLease(std::string_view json) {
  MUSTER_ASSIGN(Lease lease, DecodeBy<kLeaseFields>(json));
  lease.body = json;
  return lease;
}

}  // namespace muster::crds
