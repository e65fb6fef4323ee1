// Every input of the core but time. Facts are level-based ("this is how it is now"): a repeat is a
// no-op, and a missed update heals with the next. References to other objects may dangle in any
// order (a pod on an unseen node, a gang of an unseen queue): that is state, never a CHECK.
// What one object alone guarantees is held by controllers/translate_* before an Event is made:
// amounts lie in [0, 2^56), lists that are called sorted are sorted and without repeats.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/base/ids.h"

namespace muster::scheduler {

// Identifies a gang. A pod of ours without PodGroup is a gang of one under its own name
// (single_pod), and a PodGroup of the same name may exist beside it.
struct Key {
  std::string ns, name;
  bool single_pod = false;
  friend auto operator<=>(const Key&, const Key&) = default;
};
using Uid = std::string;
// Sorted by name. Milli-units for cpu and devices, whole units (bytes, counts) for the rest.
using Amounts = std::vector<std::pair<std::string, std::int64_t>>;
using Labels = std::vector<std::pair<std::string, std::string>>;  // Sorted by key.

// One requirement of a node selector term or of a label selector (Kubernetes' own operators).
struct Requirement {
  enum class Op : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt } op{};
  std::string key;
  std::vector<std::string> values;
  friend auto operator<=>(const Requirement&, const Requirement&) = default;
};
// All of its requirements hold. A term without any matches nothing (node affinity).
struct NodeTerm {
  std::vector<Requirement> labels;
  std::vector<Requirement> fields;  // metadata.name only.
  friend auto operator<=>(const NodeTerm&, const NodeTerm&) = default;
};
struct PreferredTerm {
  std::int64_t weight = 0;  // 1 to 100.
  NodeTerm term;
  friend auto operator<=>(const PreferredTerm&, const PreferredTerm&) = default;
};
enum class TaintEffect : std::uint8_t { kNoSchedule, kPreferNoSchedule, kNoExecute };
struct Taint {
  std::string key, value;
  TaintEffect effect{};
  friend auto operator<=>(const Taint&, const Taint&) = default;
};
struct Toleration {
  std::string key, value;
  bool exists = false;      // operator Exists; else Equal. An empty key with Exists takes all.
  bool any_effect = false;  // An empty effect.
  TaintEffect effect{};
  friend auto operator<=>(const Toleration&, const Toleration&) = default;
};

// Everything about a pod that scheduling looks at; pods of equal shape are interchangeable.
struct PodShape {
  Amounts requests;  // Effective request; "pods" is not in it, each pod takes one slot.
  Labels node_selector;
  bool has_required_affinity = false;
  std::vector<NodeTerm> required_affinity;  // Any of; none of them matches nothing.
  std::vector<PreferredTerm> preferred_affinity;
  std::vector<Toleration> tolerations;
  std::string node_name;                  // Only this node, by name; empty = any.
  std::vector<std::string> gpu_products;  // Any of; empty = any. Annotation muster.dev/gpu-product.
  // Annotations muster.dev/gpu-memory-min (bytes of each GPU; 0 = any, -1 = it is no quantity),
  // muster.dev/driver-version-min and muster.dev/rdma, as they are written.
  std::int64_t gpu_memory_min = 0;
  std::string driver_version_min, rdma;
  std::string model;  // Annotation muster.dev/model.
  bool model_required = false;
  friend auto operator<=>(const PodShape&, const PodShape&) = default;
};

enum class PodState : std::uint8_t { kPending, kGated, kBound, kSucceeded, kFailed };
struct PodSeen {
  Uid uid;
  Key key;         // Namespace and name of the pod (single_pod is not used here).
  Key gang;        // Its gang: the PodGroup that its label names, else itself. Empty = not ours.
  PodShape shape;  // Of a bound pod: the requests that it really counts for.
  // Of a pod that waits: the image of each of its containers, init containers too, with a tag or a
  // digest; sorted, an image of several containers stands there as often.
  std::vector<std::string> images;
  PodState state{};
  bool ours = false;         // spec.schedulerName is ours.
  bool terminating = false;  // Has a deletionTimestamp.
  bool running = false;      // status.phase is Running; for member counts only.
  std::int32_t priority = 0;
  std::int32_t rank = -1;  // -1: none; then the name orders.
  std::string sub_group;   // Label muster.dev/subgroup; "" = of none.
  std::string node;        // spec.nodeName.
  std::string queue;       // Label muster.dev/queue, for single pods; "" = unset.
  // What the Binding wrote, or whoever edits annotations; "" on pods that we did not bind. It
  // counts when the pod is first seen bound (pins.h).
  std::string admitted_queue;
  std::string admitted_group_uid;
  std::uint64_t bound_by = 0;  // Id of the journal entry that the Binding named; 0 = none.
  bool journalled = false;     // It names some journal entry: no other scheduler's Binding does.
  Wall created;
  Wall owner_first_seen;  // Queue time of a single pod; 0 = creation.
};
struct PodGone {  // Final: a uid once gone never returns, whatever a late answer says.
  Uid uid;
};

struct NodeImage {
  std::string name;       // With a tag or a digest.
  std::int64_t size = 0;  // Bytes, in [0, 2^56).
  friend auto operator<=>(const NodeImage&, const NodeImage&) = default;
};
struct NodeSeen {
  std::string name;
  Uid uid;
  Amounts allocatable;  // With "pods".
  bool ready = false;
  bool unschedulable = false;
  Labels labels;
  std::vector<Taint> taints;
  std::vector<std::string> cached_models;  // Sorted. Annotation muster.dev/cached-models.
  std::vector<NodeImage> images;           // Sorted by name, without repeats.
};
struct NodeGone {  // Its pods stay, on a ghost row.
  std::string name;
};

// A role of a gang.
struct SubGroup {
  std::string name;
  std::int32_t min_member = 0;  // So many members of it are part of the gang's minimum.
  friend auto operator<=>(const SubGroup&, const SubGroup&) = default;
};
// Levels of the topology by name; "" = unset. All members in one domain of the level: they have to
// be, or it is tried, from that level outward.
struct TopologyRequest {
  std::string required, preferred;
  [[nodiscard]] bool empty() const { return required.empty() && preferred.empty(); }
  friend auto operator<=>(const TopologyRequest&, const TopologyRequest&) = default;
};
struct GangSeen {
  Uid uid;
  Key key;
  // spec.queue, if that is set. Else it is that of the namespace, whatever stands here.
  std::string queue;
  bool queue_named = false;
  std::int32_t min_member = 1;       // Of the whole gang: at least the sum over its sub-groups.
  std::vector<SubGroup> sub_groups;  // In the order of the spec.
  TopologyRequest topology;
  std::string priority_class;         // "" = the members decide.
  std::int64_t timeout_ms = 300'000;  // scheduleTimeoutSeconds.
  Wall created;
  std::int64_t generation = 0;
  // Members that its status already counts as succeeded: they stay so when their pods are cleaned
  // up, also across a restart. Those that cannot be seen at Synced are gone.
  std::int32_t succeeded = 0;
  // Its status says that it ran whole and that something of that run was left: what it loses is
  // replaced, and the rest is never undone, also across a restart.
  bool ran = false;
  // Where its status says that it is admitted; "" = it is not. Believed of what a take-over finds.
  std::string admitted_queue;
  std::string invalid;  // The text of condition Admitted=False Invalid; "" = none.
};
struct GangGone {
  Key key;
};

struct QueueSeen {
  struct Quota {
    std::string resource;
    std::int64_t nominal = 0;
    bool limited = false;  // borrowingLimit is set.
    std::int64_t borrowing_limit = 0;
  };
  std::string name;
  Uid uid;
  std::vector<Quota> resources;  // Sorted by resource.
  bool has_selector = false;     // namespaceSelector set. Without it no namespace is admitted.
  std::vector<Requirement> namespace_selector;  // All hold; empty admits all.
  bool stopped = false;                         // stopPolicy Hold.
  std::string misconfigured;  // The text of condition Active=False Misconfigured; "" = none.
  std::string clipped;        // Which quotas count as less than was written; "" = none.
};
struct QueueGone {
  std::string name;
};

struct NamespaceSeen {
  std::string name;
  Labels labels;
  // Of its gangs that name none; "" = "default". Annotation muster.dev/default-queue.
  std::string default_queue{};
};
struct NamespaceGone {
  std::string name;
};
struct PriorityClassSeen {
  std::string name;
  std::int32_t value = 0;
};
struct PriorityClassGone {
  std::string name;
};

struct Charge {
  std::string resource;
  std::int64_t amount = 0;
  friend auto operator<=>(const Charge&, const Charge&) = default;
};
enum class EntryState : std::uint8_t { kBind, kAbandon };
// A journal entry found at take-over: after the LIST, before Synced. It holds its nodes and its
// charge until it is closed.
struct EntrySeen {
  Uid gang;  // The pod's uid for a single pod.
  Key key;
  std::uint64_t id = 0;
  EntryState state{};
  std::string queue;
  std::vector<Charge> charges;
  std::int32_t min_member = 0;         // 0: surplus members.
  std::vector<SubGroup> sub_groups{};  // What of min_member each of them must have.
  struct Member {
    Uid pod;
    std::string node;
  };
  std::vector<Member> members;
  std::int64_t timeout_ms = 0;
};
// One member cannot be bound as decided; the next Decide answers with an Abandon. Refused: the API
// server said no for good three times, and the gang backs off. Else the world changed under the
// plan (the node was cordoned, ...): nobody's fault, so the gang is planned anew at once.
struct EntryFailed {
  Uid gang;
  std::uint64_t id = 0;
  Uid pod;
  std::string text;  // "<pod>: <code> <server's text>", as the condition shows it.
  bool refused = true;
};
// One member that is not bound cannot be bound to its node any more (gone, cordoned, made anew),
// and others of the entry may be bound already: it is to be moved. Until EntryAmended it holds the
// old node.
struct EntryStranded {
  Uid gang;
  std::uint64_t id = 0;
  Uid pod;
};
// The page that names this member where the last Decision::Amend put it is stored: from here on no
// request can bring it to the node that it had before.
struct EntryAmended {
  Uid gang;
  std::uint64_t id = 0;
  Uid pod;
};
// A member that is not bound is none any more: no page names it in this entry, and nothing that was
// sent for it there can act. It is free; its place in the entry is empty.
struct EntryLeft {
  Uid gang;
  std::uint64_t id = 0;
  Uid pod;
};
// Settled, or given up and off its page: only now may the gang be decided again.
struct EntryClosed {
  Uid gang;
  std::uint64_t id = 0;
};

// Answers to what a Decision asked for. They join the facts in one sequence: the replay log.
enum class Answer : std::uint8_t { kDone, kRefused, kElsewhere, kGone };
// kDone: 201, or GET shows it on our node by our Binding. kElsewhere: somebody else has bound it,
// to another node or to ours. kGone: 404 or another uid. kRefused: touched (scheduling text 9, R3):
// only then is the node free. kDone may come before or after the PodSeen that says the same.
struct BindAnswered {
  Uid pod;
  std::string node;  // Where it was to be bound: an answer to an earlier attempt names another.
  Answer answer{};
  std::string at = {};  // Of kElsewhere: the node where it is.
};
// All kinds are listed by a consistent read: Decide may act from here on.
struct Synced {
  std::uint64_t first_id = 1;  // Ids of entries start here: none was ever given before.
  // Pages of the journal were lost, and with them perhaps intent, of entries with a lesser id: a
  // gang that one of them has half bound is undone at its time-out, never completed. 0 = none.
  std::uint64_t intact_from = 0;
};

using Event = std::variant<PodSeen, PodGone, NodeSeen, NodeGone, GangSeen, GangGone, QueueSeen,
                           QueueGone, NamespaceSeen, NamespaceGone, PriorityClassSeen,
                           PriorityClassGone, EntrySeen, EntryFailed, EntryStranded, EntryAmended,
                           EntryLeft, EntryClosed, BindAnswered, Synced>;

}  // namespace muster::scheduler
