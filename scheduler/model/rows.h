// The rows of the cluster's tables: facts as last seen, plus what this scheduler promised. Derived
// numbers (use, usage, member counts) are cells of Columns, not here. Row numbers have no order of
// meaning and are reused, at the earliest after Cluster::ClearTouched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/model/event.h"
#include "scheduler/model/images.h"

namespace muster::scheduler {

using NamespaceId = StrongId<struct NamespaceTag>;

// What is known of a pod. It only moves to the right, but that the refusal of its latest attempt
// takes it from Reserved back to Pending; a fact or an answer behind the record is ignored.
//
//   Gated --> Pending <--> Reserved --> Bound -----+--> Succeeded, Failed --> Gone
//     |         |  \         |   \       |         |
//     |         |   +--------|----+--> Terminating-+--> Gone
//     +---------+------------+ (Gone from any of them; a uid that is gone never comes back)
//
// Pending --> Bound: bound by somebody else, or by a leader before this one.
// Reserved --> Pending: BindAnswered kRefused for the reserved node, or its entry closed.
// A reserved pod may be on its way to another node (Column::kPodNext): both are charged.
// Terminating keeps the node that it was bound to or reserved on until it is gone.
enum class Record : std::uint8_t {
  kPending,
  kGated,
  kReserved,  // On a node by our decision, charged; not known to be bound.
  kBound,
  kTerminating,
  kSucceeded,
  kFailed,
  kGone,  // In an open Transaction: removed by it. Else the row is free.
};
// How far it is settled who pays for a pod, and whose member it is; see pins.h.
enum class Pin : std::uint8_t {
  kNone,   // It was not seen bound: labels and its PodGroup say it.
  kOpen,   // What it says of itself was taken down; its queue, namespace or PodGroup was not seen.
  kFixed,  // For good.
};
inline constexpr std::uint32_t kRunningCounter = 7;  // Bound members that run.
inline constexpr std::uint32_t kGangCounters = 8;

struct NodeRow {
  std::string name;
  Uid uid;
  bool exists = false;  // False: a ghost, pods or entries name it but no Node does.
  bool ready = false;   // Never true of a ghost.
  bool unschedulable = false;
  Labels labels;
  std::vector<Taint> taints;
  std::vector<std::string> cached_models;
};

// About 290 bytes with its cells and index entries; clusters have 100,000 of them.
struct PodRow {
  Uid uid;
  std::string name;
  NamespaceId ns;
  std::optional<GangId> gang;  // None: not ours. See GangRow for who is a member.
  ShapeId shape;
  ImageSetId images = kNoImages;
  std::optional<QueueId> queue;  // Its own label; single pods. As it was first seen bound with.
  Pin pin{};
  // Of a pod that was bound by us, or says so (of one that is kFixed: and is believed).
  std::optional<QueueId> admitted_queue;
  std::uint32_t group_pin = 0;  // Interned uid of the PodGroup for which it says it was bound.
  std::int32_t priority = 0;
  std::int32_t rank = -1;
  std::string sub_group;  // "" = of none.
  Wall created, owner_first_seen;
  std::uint64_t entry = 0;     // The open entry that names it; 0 = none.
  std::uint64_t bound_by = 0;  // The entry whose Binding it carries; 0 = none that is believed.
  bool live = false;           // The row is in use.
  bool bound = false;          // The API server has shown, or answered, a node for it.
  bool running = false;
  bool member = false;  // Of its gang; else only use (and in GangRow::others).
};

// A PodGroup and the pods that belong to it, or one pod of ours without a PodGroup. The row stays
// while the PodGroup, a pod that names it, or an open entry exists.
// Members are: the unbound pods that name the gang; the bound ones whose pins show that they were
// bound for the present PodGroup uid (a gang of one: by us), in its own namespace. Other bound pods
// that name it are use, never members.
struct GangRow {
  Key key{};
  Uid uid{};            // Of the PodGroup, or of the single pod; empty when there is none.
  bool live = false;    // The row is in use.
  bool exists = false;  // The PodGroup exists; a gang of one: its pod does.
  NamespaceId ns{};
  QueueId queue{};  // The one it names, else that of its namespace; the row may be a ghost.
  bool queue_named = false;
  std::int32_t min_member = 1;  // At least the sum over the sub-groups.
  std::vector<SubGroup> sub_groups{};
  TopologyRequest topology{};
  std::string priority_class{};  // "" = the members decide.
  std::int64_t timeout_ms = 300'000;
  Wall created{};  // Queue time of a gang that never timed out.
  std::int64_t generation = 0;
  // Members that have succeeded and are gone stay counted, by the name that their successor would
  // have (apply_pod.cc), sorted; and how many more the first leader to read the status found there.
  std::vector<std::string> gone_successes{};
  std::int32_t earlier_successes = 0;
  std::int32_t stored_succeeded = 0;  // What its status already counts; the larger number holds.
  bool stored_ran = false;            // What its status says of its run.
  std::optional<QueueId> stored_queue{};  // Where its status says that it is admitted.
  std::string invalid{};                  // Text of condition Admitted=False Invalid; "" = none.
  std::vector<PodId> members{};           // By (rank, none last; name; uid).
  std::vector<PodId> others{};            // In the same order: bound pods that are no members.
  std::vector<std::uint64_t> entries{};   // Open ones, ascending.
};

// Of the members alone. Each member is in exactly one of the states; those that are on their way
// out only hold their node: all others, without `running`, sum up to total.
struct MemberCounts {
  std::int32_t total = 0;
  std::int32_t placeable = 0;  // Record kPending.
  std::int32_t gated = 0;
  std::int32_t reserved = 0;
  std::int32_t bound = 0;        // Active: bound, neither terminal nor terminating.
  std::int32_t running = 0;      // Those of `bound` whose phase is Running.
  std::int32_t terminating = 0;  // Bound or not.
  std::int32_t succeeded = 0, failed = 0;
};

struct QueueRow {
  QueueSeen spec;                  // The name always; the rest while it exists.
  std::vector<ResourceId> quotas;  // Parallel to spec.resources.
  bool exists = false;             // False: named by gangs or charged pods only.
};

struct NamespaceRow {
  std::string name;
  Labels labels;
  std::string default_queue;  // "" = kDefaultQueue.
  bool exists = false;
};

// An open journal entry: what is promised and unfinished.
//
//   Bind --> Abandon --> (closed)
//     +----------------> (closed: settled)
struct EntryRow {
  struct Member {
    Uid pod;
    NodeId node;
    bool released = false;  // Refused, bound elsewhere or gone: this entry holds nothing for it.
    bool stranded = false;  // Its node takes it no more, and no other was found yet.
    friend bool operator==(const Member&, const Member&) = default;
  };
  struct Failure {
    Uid pod;
    std::string text;
    bool refused = true;  // By the API server; else the world changed under the plan.
    friend bool operator==(const Failure&, const Failure&) = default;
  };
  std::uint64_t id = 0;
  GangId gang{};
  Uid gang_uid{};
  EntryState state{};
  QueueId queue{};
  std::vector<Charge> charges{};       // As journalled; usage itself is summed over live pods.
  std::int32_t min_member = 0;         // 0: surplus members.
  std::vector<SubGroup> sub_groups{};  // What of min_member each of them must have.
  std::vector<Member> members{};
  std::int64_t timeout_ms = 0;
  std::optional<Ticks> first_seen{};  // From which the time-out runs; set by the first Decide.
  std::optional<Failure> failed{};    // Why a member cannot be bound as decided.
};

// What changed since the last ClearTouched, with the object that did it ("Node/node-d",
// "Pod/default/train-0", "Queue/research", ...). In order of events, consecutive repeats joined.
struct Touched {
  template <class Id>
  struct Item {
    Id id;
    std::uint32_t cause = 0;  // Into causes.
  };
  std::vector<Item<GangId>> gangs;    // Spec, members, entries, priority class or namespace.
  std::vector<Item<QueueId>> queues;  // Spec or usage.
  std::vector<Item<NodeId>> nodes;    // Object or use, by facts and answers (not by Transactions).
  std::vector<std::string> causes;
  [[nodiscard]] bool empty() const { return gangs.empty() && queues.empty() && nodes.empty(); }
};

}  // namespace muster::scheduler
