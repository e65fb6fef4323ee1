#include "crds/json_fields.h"
#include "crds/lease.h"

namespace muster::crds {
namespace {

constexpr std::array kSpecFields = {
    Field<&Lease::holder>("holderIdentity"),
    Field<&Lease::duration_seconds>("leaseDurationSeconds"),
    Field<&Lease::acquire_time>("acquireTime"),
    Field<&Lease::renew_time>("renewTime"),
    Field<&Lease::transitions>("leaseTransitions"),
};
constexpr std::array kFields = {
    ObjectField<&Lease::meta, kMetaFields>("metadata"),
    InnerField<kSpecFields>("spec"),
};

}  // namespace

Result<Lease> DecodeLease(std::string_view json) {
  MUSTER_ASSIGN(Lease lease, DecodeBy<kFields>(json));
  lease.body = json;
  return lease;
}

}  // namespace muster::crds
