#include "crds/decode.h"
#include "crds/decode_resources.h"
#include "crds/json_fields.h"

namespace muster::crds {
namespace {

// {"requests","limits"} of a container or of the pod as a whole.
template <auto kMember>
constexpr JsonField<OwnerOf<kMember>> RequestsField(std::string_view name) {
  return {name,
          [](JsonReader& reader, JsonValue& value, OwnerOf<kMember>& out) {
            return ReadRequests(reader, value, out.*kMember);
          },
          &ListRequests};
}
// Amounts by resource.
template <auto kMember>
constexpr JsonField<OwnerOf<kMember>> AmountsField(std::string_view name) {
  return {name, [](JsonReader& reader, JsonValue& value, OwnerOf<kMember>& out) {
            return ReadResourceList(reader, value, out.*kMember);
          }};
}

constexpr std::array kContainerFields = {
    Field<&Container::name>("name"),
    Field<&Container::image>("image"),
    RequestsField<&Container::requests>("resources"),
    // Only init containers have one; "Always" makes a sidecar of it (KEP-753).
    JsonField<Container>{"restartPolicy",
                         [](JsonReader& reader, JsonValue& value, Container& out) {
                           std::string policy;
                           if (!reader.Read(value, policy)) return false;
                           out.restart_always = policy == "Always";
                           return true;
                         }},
};
constexpr std::array kTolerationFields = {
    Field<&Toleration::key>("key"),
    Field<&Toleration::op>("operator"),
    Field<&Toleration::value>("value"),
    Field<&Toleration::effect>("effect"),
};

constexpr std::array kPodRequirementFields = {
    Field<&SelectorRequirement::key>("key"),
    Field<&SelectorRequirement::op>("operator"),
    Field<&SelectorRequirement::values>("values"),
};
constexpr std::array kTermFields = {
    ListField<&NodeSelectorTerm::expressions, kPodRequirementFields>("matchExpressions"),
    ListField<&NodeSelectorTerm::fields, kPodRequirementFields>("matchFields"),
};
constexpr std::array kPreferredFields = {
    Field<&PreferredTerm::weight>("weight"),
    ObjectField<&PreferredTerm::term, kTermFields>("preference"),
};
// Of the affinities only the one between a pod and its node is read. The path to it is long, what
// it fills is the pod.
constexpr std::array kNodeSelectorFields = {
    JsonField<Pod>{"nodeSelectorTerms",
                   [](JsonReader& reader, JsonValue& value, Pod& out) {
                     return reader.List<NodeSelectorTerm>(value, out.required_affinity.emplace(),
                                                          kTermFields);
                   },
                   &ListInArray<kTermFields>},
};
constexpr std::array kNodeAffinityFields = {
    JsonField<Pod>{"requiredDuringSchedulingIgnoredDuringExecution",
                   [](JsonReader& reader, JsonValue& value, Pod& out) {
                     // Without terms it is required all the same, and matches nothing.
                     out.required_affinity.emplace();
                     return reader.Object<Pod>(value, out, kNodeSelectorFields);
                   },
                   &ListInObject<kNodeSelectorFields>},
    ListField<&Pod::preferred_affinity, kPreferredFields>(
        "preferredDuringSchedulingIgnoredDuringExecution"),
};
constexpr std::array kAffinityFields = {
    InnerField<kNodeAffinityFields>("nodeAffinity"),
};

constexpr std::array kPodSpecFields = {
    ListField<&Pod::containers, kContainerFields>("containers"),
    ListField<&Pod::init_containers, kContainerFields>("initContainers"),
    Field<&Pod::scheduler_name>("schedulerName"),
    Field<&Pod::node_name>("nodeName"),
    Field<&Pod::priority_class_name>("priorityClassName"),
    Field<&Pod::priority>("priority"),
    AmountsField<&Pod::overhead>("overhead"),
    // Requests of the pod as a whole (KEP-2837); without them there is no list, not an empty one.
    JsonField<Pod>{"resources",
                   [](JsonReader& reader, JsonValue& value, Pod& out) {
                     return ReadRequests(reader, value, out.pod_requests.emplace());
                   },
                   &ListRequests},
    Field<&Pod::node_selector>("nodeSelector"),
    InnerField<kAffinityFields>("affinity"),
    ListField<&Pod::tolerations, kTolerationFields>("tolerations"),
    // How many is enough: one gate holds a pod as well as three.
    JsonField<Pod>{"schedulingGates",
                   [](JsonReader& reader, JsonValue& value, Pod& out) {
                     out.scheduling_gates = 0;
                     return reader.Array(value, [&](JsonValue&) {
                       ++out.scheduling_gates;
                       return true;
                     });
                   }},
    Field<&Pod::grace_seconds>("terminationGracePeriodSeconds"),
};

// A status that does not state its resources says nothing about a resize: it is left out.
struct ContainerStatus {
  ContainerResources resources;
  bool stated = false;
};
constexpr std::array kContainerStatusFields = {
    JsonField<ContainerStatus>{"name",
                               [](JsonReader& reader, JsonValue& value, ContainerStatus& out) {
                                 return reader.Read(value, out.resources.name);
                               }},
    JsonField<ContainerStatus>{"allocatedResources",
                               [](JsonReader& reader, JsonValue& value, ContainerStatus& out) {
                                 return ReadResourceList(reader, value, out.resources.allocated);
                               }},
    JsonField<ContainerStatus>{"resources",
                               [](JsonReader& reader, JsonValue& value, ContainerStatus& out) {
                                 out.stated = true;
                                 return ReadRequests(reader, value, out.resources.actual);
                               },
                               &ListRequests},
};

// Called for containers and for init containers: their names differ, one list holds both.
bool ReadContainerStatuses(JsonReader& reader, JsonValue& value, Pod& out) {
  return reader.Array(value, [&](JsonValue& element) {
    ContainerStatus status;
    if (!reader.Object<ContainerStatus>(element, status, kContainerStatusFields)) return false;
    if (status.stated) out.container_statuses.push_back(std::move(status.resources));
    return true;
  });
}

// The kubelet says by a condition that a resize cannot be done here (KEP-1287).
bool ReadConditions(JsonReader& reader, JsonValue& value, Pod& out) {
  if (!reader.List<Condition>(value, out.conditions, kConditionFields)) return false;
  for (const Condition& condition : out.conditions) {
    if (condition.type == "PodResizePending" && condition.reason == "Infeasible") {
      out.resize_infeasible = true;
    }
  }
  return true;
}

constexpr std::array kPodStatusFields = {
    Field<&Pod::phase>("phase"),
    JsonField<Pod>{"conditions", &ReadConditions, &ListInArray<kConditionFields>},
    JsonField<Pod>{"containerStatuses", &ReadContainerStatuses,
                   &ListInArray<kContainerStatusFields>},
    JsonField<Pod>{"initContainerStatuses", &ReadContainerStatuses,
                   &ListInArray<kContainerStatusFields>},
    // What the kubelet allocated and applied for the pod as a whole (KEP-5419).
    AmountsField<&Pod::pod_allocated>("allocatedResources"),
    RequestsField<&Pod::pod_actual>("resources"),
};
constexpr std::array kPodFields = {
    ObjectField<&Pod::meta, kMetaFields>("metadata"),
    InnerField<kPodSpecFields>("spec"),
    InnerField<kPodStatusFields>("status"),
};

}  // namespace

Result<Pod> DecodePod(std::string_view json) {
  return DecodeBy<kPodFields>(json);
}

std::vector<std::string> PodPaths() {
  return FieldPaths<kPodFields>();
}

}  // namespace muster::crds
