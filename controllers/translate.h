// Wire objects to core events. Pure. It holds what the core relies on for one object alone: sorted
// lists without repeats, amounts in range; what cannot be used is refused in words that become a
// condition, never by leaving the object out.
#pragma once

#include <string>
#include <string_view>

#include "controllers/stores.h"
#include "crds/object.h"
#include "scheduler/model/event.h"

namespace muster::controllers {

inline constexpr std::string_view kPodGroupLabel = "muster.dev/pod-group";
inline constexpr std::string_view kSubGroupLabel = "muster.dev/subgroup";
inline constexpr std::string_view kQueueLabel = "muster.dev/queue";
inline constexpr std::string_view kJournalAnnotation = "muster.dev/journal";
inline constexpr std::string_view kAdmittedSubGroupAnnotation = "muster.dev/admitted-subgroup";
inline constexpr std::string_view kAdmittedQueueAnnotation = "muster.dev/admitted-queue";
inline constexpr std::string_view kAdmittedGroupUidAnnotation = "muster.dev/admitted-group-uid";

// The gang of a pod of ours by its labels: the PodGroup that it names, else itself.
[[nodiscard]] scheduler::Key GangOf(const crds::Pod& pod);
// What its label says, though the pod may stand in another since it was bound; "" = in none.
[[nodiscard]] std::string LabelledSubGroup(const crds::Pod& pod);
// What the stores keep of a pod of ours, in the gang `gang`.
[[nodiscard]] PodRecord RecordOf(const crds::Pod& pod, scheduler::Key gang);

// Ours is what names `scheduler_name`; of other pods nothing but their use of a node counts. Gang
// by GangOf; owner_first_seen unset.
[[nodiscard]] scheduler::PodSeen TranslatePod(const crds::Pod& pod,
                                              std::string_view scheduler_name);
[[nodiscard]] scheduler::NodeSeen TranslateNode(const crds::Node& node);
[[nodiscard]] scheduler::GangSeen TranslatePodGroup(const crds::PodGroup& group);
[[nodiscard]] scheduler::QueueSeen TranslateQueue(const crds::Queue& queue);
[[nodiscard]] scheduler::NamespaceSeen TranslateNamespace(const crds::Namespace& ns);
[[nodiscard]] scheduler::PriorityClassSeen TranslatePriorityClass(
    const crds::PriorityClass& priority_class);

}  // namespace muster::controllers
