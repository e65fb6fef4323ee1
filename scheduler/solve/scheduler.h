// The core: a deterministic state machine with two inputs. The same sequence of Apply and Decide
// gives the same bytes. Everything incremental is a cache: what is decided on this state equals
// what is decided on one rebuilt from Snapshot(), in every field but changed_* (after a rebuild all
// is new) and what is shown only; a budget may cut it into other Decides, until `more` is false
// (tests hold this). Not thread-safe; one loop thread owns it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/base/result.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/event.h"

namespace muster::scheduler {

class Policy;  // framework/policy.h: enabled plugins and weights.

struct Decision {
  struct Bind {
    Uid pod;
    Key pod_key;
    std::string node;
    Uid node_uid;
    std::string sub_group{};                                       // As its label says; "" = none.
    std::vector<std::pair<std::string, std::string>> annotations;  // From PreBind plugins, sorted.
  };
  // One journal entry, all members of it placed.
  struct Admit {
    Key gang;
    Uid gang_uid;  // Of the PodGroup, or of the single pod.
    std::uint64_t id = 0;
    std::vector<Bind> pods;
    std::string queue;
    std::vector<Charge> charges;
    std::int32_t min_member = 0;       // 0: surplus members; giving it up undoes its pods alone.
    std::vector<SubGroup> sub_groups;  // What of min_member each of them must have.
    std::int64_t timeout_ms = 0;       // Runs on the leader's monotonic clock, from first sight.
    Wall queued{};                     // Since when the gang has waited in its queue.
    std::int32_t attempts = 1;         // GangStatus::attempts with this one; shown only.
  };
  // A member of an entry that was found, of which others are bound, does not fit where the entry
  // puts it: nothing may be sent for it before an Amend moves it, in this decision or a later one.
  // Of surplus members none will come: it leaves the entry.
  struct Strand {
    std::uint64_t id = 0;
    Uid pod;
    Key pod_key;
  };
  // An open entry goes on with other members, or with members on other nodes. Into its page first;
  // EntryAmended says of each that it is there.
  struct Amend {
    struct Change {
      // The pod that the entry names now: lost; or the same pod: it moves. "" = none, a member has
      // left the place.
      Uid replaces;
      Bind bind;
    };
    Key gang;
    Uid gang_uid;
    std::uint64_t id = 0;
    std::vector<Change> changes;
  };
  // kNoFit: the world changed, before a restart or under the plan.
  enum class Why : std::uint8_t { kTimeout, kRefused, kNoFit, kGroupGone };
  // The entry is to be given up: `Abandon` into the journal, then touch or delete each member. It
  // may be one that this decision admits: bound members that no entry named.
  struct Abandon {
    Key gang;
    std::uint64_t id = 0;
    Why why{};
    std::string text;
  };
  std::vector<Admit> admits;
  std::vector<Strand> strands;
  std::vector<Amend> amends;
  std::vector<Abandon> abandons;
  // Those of `admits` that nothing but the flush (QueueTimes) has found: a wake-up was lost.
  std::vector<Key> lost_wakeups;
  // Members that the gangs which were tried and refused asked for; one gang is tried for all that
  // are alike. Shown only.
  std::int64_t refused_pods = 0;
  // Gangs and queues whose status (below) may differ from what it was after the decision before;
  // sorted. Never O(backlog) unless so much changed. A gang that is gone is in it too.
  std::vector<Key> changed_gangs;
  std::vector<std::string> changed_queues;
  // The next instant at which time alone may change an answer (backoff, time-out of an entry).
  std::optional<Ticks> wake_at;
  bool more = false;  // The budget ended the cycle: call again after the next drain of events.

  // Canonical text of a decision, the format of scenario files: "bind ns/gang/pod node", ...
  [[nodiscard]] std::string ToText() const;
};

// Steps, never time.
struct Budget {
  std::int32_t admits = 256;
  std::int32_t search_steps = 200'000;
};

// "Timeout", "Refused", "NoFit", "GroupGone".
[[nodiscard]] std::string_view WhyName(Decision::Why why);

// PodGroup phases (and of gangs of one). Order as in the API text.
enum class Phase : std::uint8_t { kPending, kQueued, kBinding, kRunning, kSucceeded, kFailed };
// As users read it: "Pending", "Queued", ...
[[nodiscard]] std::string_view PhaseName(Phase phase);

// Pods of ours that wait, by where kube-scheduler would have them.
struct PendingPods {
  std::int64_t active = 0;         // Their gang is to be tried.
  std::int64_t backoff = 0;        // After an error, until its time.
  std::int64_t unschedulable = 0;  // Their gang was refused, and nothing has changed for it.
  std::int64_t gated = 0;          // A gate, too few members, a queue that does not take them.
};

// What one pod of a gang is told: the reason of its PodScheduled=False condition and its text.
struct MemberStatus {
  Uid uid;
  Key pod;
  std::string node;     // Bound or reserved there; empty = neither.
  bool bound = false;   // By what the API server shows.
  std::string reason;   // Empty when bound, reserved or terminal.
  std::string message;  // At most 1,024 bytes.
};

// Everything that a PodGroup's status, its pods' conditions and /explain show. Computed when asked
// for, with the numbers of now.
struct GangStatus {
  Key key;
  Uid uid;
  std::string queue;  // Resolved name.
  std::int32_t priority = 0;
  Phase phase{};
  std::int32_t min_member = 1;
  std::int32_t total = 0, bound = 0, running = 0, succeeded = 0, failed = 0;
  std::int32_t attempts = 0;     // Full placement attempts and admissions since first sight.
  bool attempted = false;        // False: not looked at yet, no conditions are written.
  bool admitted = false;         // Quota is charged: binding or running.
  Wall admitted_at;              // While admitted.
  std::vector<Charge> charges;   // While admitted.
  std::string admitted_reason;   // Reason of condition Admitted.
  bool scheduled = false;        // bound + succeeded reach the minimum.
  std::string scheduled_reason;  // Reason of condition Scheduled.
  std::string reason;            // Of the condition that is the cause; empty = nothing is wrong.
  std::string message;           // The one text for "why not" (or "n of n members bound to ..").
  std::vector<MemberStatus> members;  // In rank order.
};

struct QueueStatus {
  std::string name;
  bool active = false;
  std::string active_reason;  // Ready | Stopped | Misconfigured.
  std::string active_message;
  std::int32_t pending_gangs = 0, admitted_gangs = 0;
  struct Use {
    std::string resource;
    std::int64_t nominal = 0, used = 0;
  };
  std::vector<Use> resources;  // As the queue's spec names them.
};

// The last decision about a gang, as /explain shows it.
struct Explanation {
  GangStatus status;
  std::string woken_by;  // "Node/node-d", "Pod/default/train-0", "" at the first attempt.
  std::int32_t queue_position = 0;  // 1 = next of its queue; 0 = not waiting.
  struct NodeVerdict {
    std::string node, reason;  // Reason in kube-scheduler's words; empty = it fits.
  };
  std::vector<NodeVerdict> nodes;  // Of the last attempt, by name.
  struct NodeScore {
    std::string node;
    std::int64_t total = 0;
    std::vector<std::pair<std::string, std::int64_t>> plugins;  // Before its weight, by name.
  };
  std::vector<NodeScore> scores;  // Of the first member placed in the last attempt, by name.
  std::vector<std::pair<std::string, std::string>> placed;  // Pod, node.
};

class Scheduler {
 public:
  explicit Scheduler(const Policy& policy);  // Keeps a copy.
  ~Scheduler();
  Scheduler(Scheduler&&) noexcept;
  Scheduler& operator=(Scheduler&&) noexcept;

  void Apply(const Event& event);
  // Commits what it decides; undone only by a later event. Before Synced it decides nothing.
  [[nodiscard]] Decision Decide(Now now, Budget budget);

  [[nodiscard]] std::optional<GangStatus> Status(const Key& gang) const;
  // GangStatus::scheduled, without the rest: bound and succeeded members reach the minimums of now.
  [[nodiscard]] bool IsWhole(const Key& gang) const;
  [[nodiscard]] std::optional<QueueStatus> Status(const std::string& queue) const;
  [[nodiscard]] PendingPods Pending() const;  // As of the last Decide. O(gangs).
  // nullopt: no such gang.
  [[nodiscard]] std::optional<Explanation> Explain(const Key& gang) const;
  // The same, seen from one pod of the gang: reason and message are the pod's own while it waits,
  // nodes and scores are of its shape (where the last attempt looked with another: those of now).
  // nullopt: no such pod of ours.
  [[nodiscard]] std::optional<Explanation> ExplainPod(const Uid& pod) const;
  [[nodiscard]] const Cluster& cluster() const;

  // The cluster's snapshot and what is remembered of errors: a Scheduler made from it decides the
  // same.
  [[nodiscard]] std::string Snapshot() const;
  [[nodiscard]] static Result<Scheduler> FromSnapshot(const Policy& policy, std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::scheduler
