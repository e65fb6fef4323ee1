// The JSON bodies that Muster sends. Pure functions, from any thread; the text is compact and the
// same for equal input. Which request carries which body stands at each function. Strings that are
// no UTF-8 are sent with U+FFFD in place of the bad bytes.
#pragma once

#include <cstdint>
#include <string>

#include "crds/binding_journal.h"
#include "crds/meta.h"
#include "crds/pod_group.h"
#include "crds/queue.h"

namespace muster::crds {

// The content types of the patches below.
inline constexpr const char* kJson = "application/json";
inline constexpr const char* kJsonPatch = "application/json-patch+json";
inline constexpr const char* kStrategicMergePatch = "application/strategic-merge-patch+json";

struct Binding {
  std::string ns, pod, uid;      // The uid is a precondition.
  std::string resource_version;  // A precondition too: a late POST must not hit a changed pod.
  std::string node;
  StringMap annotations;  // Merged into the pod's own.
  friend bool operator==(const Binding&, const Binding&) = default;
};
// POST pods/NAME/binding.
[[nodiscard]] std::string EncodeBinding(const Binding& binding);

// DELETE pods/NAME: only the pod of this uid.
[[nodiscard]] std::string EncodeDeletePod(const std::string& uid);

struct PodConditionPatch {
  std::string uid;               // "" = not checked. Another uid is refused with 422.
  std::string resource_version;  // "" = not checked. Another one is refused with 409.
  Condition condition;           // Merged by type; the conditions of others stay.
  friend bool operator==(const PodConditionPatch&, const PodConditionPatch&) = default;
};
// PATCH pods/NAME/status, kStrategicMergePatch.
[[nodiscard]] std::string EncodePodCondition(const PodConditionPatch& patch);
// The two that Muster writes. PodScheduled=False carries the resourceVersion, since a late one
// would turn the condition of a pod that was bound meanwhile; DisruptionTarget=True does not, for
// it precedes the DELETE of this very uid.
[[nodiscard]] PodConditionPatch PodUnscheduled(const ObjectMeta& pod, std::string reason,
                                               std::string message, std::int64_t now_ms);
[[nodiscard]] PodConditionPatch PodDisrupted(const ObjectMeta& pod, std::string reason,
                                             std::string message, std::int64_t now_ms);

// PATCH podgroups/NAME/status and queues/NAME/status, kJsonPatch: the whole status replaces what is
// stored, if the object still has this uid (else 422).
[[nodiscard]] std::string EncodePodGroupStatus(const std::string& uid,
                                               const PodGroupStatus& status);
[[nodiscard]] std::string EncodeQueueStatus(const std::string& uid, const QueueStatus& status);

// POST bindingjournals (resourceVersion empty), or PUT bindingjournals/NAME at the resourceVersion
// of `page.meta`.
[[nodiscard]] std::string EncodeBindingJournal(const BindingJournal& page);

// What an event is about.
struct ObjectReference {
  std::string api_version, kind, ns, name, uid;
  friend bool operator==(const ObjectReference&, const ObjectReference&) = default;
};
struct Event {
  std::string ns, name;  // "default" for a cluster-scoped object.
  ObjectReference regarding;
  std::string type;    // Normal | Warning.
  std::string reason;  // Scheduled, FailedScheduling, ...
  std::string action;  // What was tried: Scheduling, Binding, ...
  std::string note;    // At most 1,024 bytes.
  std::string controller = "muster";
  std::string instance;  // Who of the controller's processes, at most 128 bytes.
  std::int64_t time_ms = 0;
  friend bool operator==(const Event&, const Event&) = default;
};
// POST events.k8s.io/v1 events.
[[nodiscard]] std::string EncodeEvent(const Event& event);
// PATCH events/NAME, kStrategicMergePatch: the same event was seen `count` (>= 2) times in all.
[[nodiscard]] std::string EncodeEventSeries(std::int32_t count, std::int64_t last_seen_ms);
// The name of a new event: "<object>.<hex>"; `unique` makes it so (nanoseconds, or random bits).
[[nodiscard]] std::string EventName(const std::string& object, std::uint64_t unique);

// POST namespaces.
[[nodiscard]] std::string EncodeNamespace(const std::string& name);

}  // namespace muster::crds
