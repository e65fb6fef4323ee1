#include "crds/decode.h"
#include "crds/json_fields.h"

namespace muster::crds {
namespace {

// The tables below follow the order of queues.yaml; a test holds the two against each other.

constexpr std::array kQueueRequirementFields = {
    Field<&SelectorRequirement::key>("key"),
    Field<&SelectorRequirement::op>("operator"),
    Field<&SelectorRequirement::values>("values"),
};
constexpr std::array kSelectorFields = {
    Field<&LabelSelector::match_labels>("matchLabels"),
    ListField<&LabelSelector::match_expressions, kQueueRequirementFields>("matchExpressions"),
};
// Quotas stay as they are written: one that cannot be used must not hide the rest of the queue.
constexpr std::array kResourceFields = {
    Field<&QueueResource::name>("name"),
    TextField<&QueueResource::nominal_quota>("nominalQuota"),
    TextField<&QueueResource::borrowing_limit>("borrowingLimit"),
};
constexpr std::array kQueueSpecFields = {
    ListField<&Queue::resources, kResourceFields>("resources"),
    // {} (all namespaces) and absent (none) are not the same.
    ObjectField<&Queue::namespace_selector, kSelectorFields>("namespaceSelector"),
    Field<&Queue::stop_policy>("stopPolicy"),
};
constexpr std::array kResourceStatusFields = {
    Field<&QueueResourceStatus::name>("name"),
    TextField<&QueueResourceStatus::nominal>("nominal"),
    TextField<&QueueResourceStatus::used>("used"),
};
constexpr std::array kQueueStatusFields = {
    Field<&QueueStatus::observed_generation>("observedGeneration"),
    TimeField<&QueueStatus::last_update_ms>("lastUpdateTime"),
    ListField<&QueueStatus::conditions, kConditionFields>("conditions"),
    Field<&QueueStatus::pending_gangs>("pendingGangs"),
    Field<&QueueStatus::admitted_gangs>("admittedGangs"),
    ListField<&QueueStatus::resources, kResourceStatusFields>("resources"),
    Field<&QueueStatus::usage_summary>("usageSummary"),
};
constexpr std::array kQueueFields = {
    ObjectField<&Queue::meta, kMetaFields>("metadata"),
    InnerField<kQueueSpecFields>("spec"),
    ObjectField<&Queue::status, kQueueStatusFields>("status"),
};

}  // namespace

Result<Queue> DecodeQueue(std::string_view json) {
  return DecodeBy<kQueueFields>(json);
}

std::vector<std::string> QueuePaths() {
  return FieldPaths<kQueueFields>();
}

}  // namespace muster::crds
