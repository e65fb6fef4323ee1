#include "crds/decode.h"
#include "crds/json_fields.h"

namespace muster::crds {
namespace {

// The tables below follow the order of podgroups.yaml; a test holds the two against each other.

using Charge = PodGroupAdmission::Charge;

constexpr std::array kChargeFields = {
    Field<&Charge::resource>("resource"),
    Field<&Charge::amount>("amount"),
};
constexpr std::array kAdmissionFields = {
    Field<&PodGroupAdmission::queue>("queue"),
    TimeField<&PodGroupAdmission::time_ms>("time"),
    ListField<&PodGroupAdmission::charges, kChargeFields>("charges"),
};
constexpr std::array kMembersFields = {
    Field<&PodGroupMembers::total>("total"),     Field<&PodGroupMembers::bound>("bound"),
    Field<&PodGroupMembers::running>("running"), Field<&PodGroupMembers::succeeded>("succeeded"),
    Field<&PodGroupMembers::failed>("failed"),
};
constexpr std::array kPodGroupStatusFields = {
    Field<&PodGroupStatus::observed_generation>("observedGeneration"),
    Field<&PodGroupStatus::phase>("phase"),
    Field<&PodGroupStatus::reason>("reason"),
    Field<&PodGroupStatus::message>("message"),
    ListField<&PodGroupStatus::conditions, kConditionFields>("conditions"),
    Field<&PodGroupStatus::queue>("queue"),
    Field<&PodGroupStatus::priority>("priority"),
    ObjectField<&PodGroupStatus::admission, kAdmissionFields>("admission"),
    ObjectField<&PodGroupStatus::members, kMembersFields>("members"),
    Field<&PodGroupStatus::summary>("summary"),
    TimeField<&PodGroupStatus::start_ms>("startTime"),
    TimeField<&PodGroupStatus::completion_ms>("completionTime"),
    Field<&PodGroupStatus::attempts>("attempts"),
};
constexpr std::array kSubGroupFields = {
    Field<&PodGroup::SubGroup::name>("name"),
    Field<&PodGroup::SubGroup::min_member>("minMember"),
};
constexpr std::array kTopologyFields = {
    Field<&PodGroup::Topology::required>("required"),
    Field<&PodGroup::Topology::preferred>("preferred"),
};
// What is absent keeps the default of the struct, which is that of the schema.
constexpr std::array kPodGroupSpecFields = {
    Field<&PodGroup::queue>("queue"),
    Field<&PodGroup::min_member>("minMember"),
    ListField<&PodGroup::sub_groups, kSubGroupFields>("subGroups"),
    ObjectField<&PodGroup::topology, kTopologyFields>("topology"),
    Field<&PodGroup::priority_class_name>("priorityClassName"),
    Field<&PodGroup::schedule_timeout_seconds>("scheduleTimeoutSeconds"),
};
constexpr std::array kPodGroupFields = {
    ObjectField<&PodGroup::meta, kMetaFields>("metadata"),
    InnerField<kPodGroupSpecFields>("spec"),
    ObjectField<&PodGroup::status, kPodGroupStatusFields>("status"),
};

}  // namespace

Result<PodGroup> DecodePodGroup(std::string_view json) {
  return DecodeBy<kPodGroupFields>(json);
}

std::vector<std::string> PodGroupPaths() {
  return FieldPaths<kPodGroupFields>();
}

}  // namespace muster::crds
