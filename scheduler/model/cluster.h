// The cluster as tables: dense rows, interned names, no pointer between rows, copyable (a what-if
// takes a copy). Apply takes in facts and answers, Transaction what is decided; everything else
// reads. Not thread-safe; one loop thread owns it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/result.h"
#include "scheduler/model/columns.h"
#include "scheduler/model/event.h"
#include "scheduler/model/images.h"
#include "scheduler/model/resources.h"
#include "scheduler/model/rows.h"
#include "scheduler/model/shapes.h"
#include "scheduler/model/tables.h"

namespace muster::scheduler {

// More is for system pods (Kubernetes' HighestUserDefinablePriority); no gang counts as more.
inline constexpr std::int32_t kMaxPriority = 1'000'000'000;

class Cluster {
 public:
  void Apply(const Event& event);  // O(what it changed). No Transaction is open.
  // Empty, or the first difference against a rebuild from pods and nodes.
  [[nodiscard]] std::string Audit() const;
  // Canonical text: equal snapshots decide alike, byte for byte. `touched` and the change log are
  // not part of it.
  [[nodiscard]] std::string Snapshot() const;
  [[nodiscard]] static Result<Cluster> FromSnapshot(std::string_view text);

  // Nodes. Names order; a ghost has a row but is not in nodes().
  [[nodiscard]] std::span<const NodeId> nodes() const { return t_.nodes.by_name(); }
  [[nodiscard]] std::uint32_t node_rows() const { return t_.nodes.rows(); }  // Ids are below this.
  [[nodiscard]] std::optional<NodeId> FindNode(std::string_view name) const {
    return t_.nodes.Find(name);
  }
  [[nodiscard]] const NodeRow& node(NodeId id) const { return t_.nodes.row(id); }
  // By ResourceId, resources().size() long. Free is the difference and may be negative.
  [[nodiscard]] std::span<const std::int64_t> allocatable(NodeId id) const {
    return t_.nodes.allocatable(id);
  }
  // Counts every pod bound or reserved there that is not terminal, whoever scheduled it;
  // [kPodsResource] is their number.
  [[nodiscard]] std::span<const std::int64_t> used(NodeId id) const { return t_.used(id); }
  [[nodiscard]] std::span<const PodId> pods_on(NodeId id) const { return t_.columns.PodsOn(id); }
  // Compares as the names do, below 2^40: the last word in every tie. Labels of all nodes may
  // change when a node joins; order_epoch() then differs.
  [[nodiscard]] std::uint64_t name_order(NodeId id) const { return t_.nodes.order(id); }
  [[nodiscard]] std::uint64_t order_epoch() const { return t_.nodes.order_epoch(); }

  [[nodiscard]] const ResourceTable& resources() const { return t_.resources; }
  [[nodiscard]] const ShapeTable& shapes() const { return t_.shapes; }
  [[nodiscard]] std::span<const Request> request(ShapeId id) const { return t_.shapes.request(id); }
  [[nodiscard]] const PodShape& shape(ShapeId id) const { return t_.shapes.shape(id); }
  [[nodiscard]] const ImageTable& images() const { return t_.images; }

  // Pods.
  [[nodiscard]] std::optional<PodId> FindPod(std::string_view uid) const { return t_.FindPod(uid); }
  [[nodiscard]] const PodRow& pod(PodId id) const { return t_.pods[id.value]; }
  [[nodiscard]] ShapeId shape_of(PodId id) const { return t_.pods[id.value].shape; }
  [[nodiscard]] Record record(PodId id) const { return t_.record(id); }
  [[nodiscard]] std::optional<NodeId> node_of(PodId id) const { return t_.node_of(id); }
  // Of a reserved pod that moves: where it will be bound. Both nodes are charged.
  [[nodiscard]] std::optional<NodeId> next_of(PodId id) const { return t_.next_of(id); }
  // The queue whose usage it is in; none of what is not placed, not ours or terminal, or cannot end
  // because its node is lost.
  [[nodiscard]] std::optional<QueueId> charged_queue(PodId id) const;
  [[nodiscard]] Key pod_key(PodId id) const;

  // Gangs.
  [[nodiscard]] std::uint32_t gang_rows() const {
    return static_cast<std::uint32_t>(t_.gangs.size());
  }
  [[nodiscard]] std::optional<GangId> FindGang(const Key& key) const { return t_.FindGang(key); }
  [[nodiscard]] const GangRow& gang(GangId id) const { return t_.gangs[id.value]; }
  [[nodiscard]] MemberCounts counts(GangId id) const;
  // The class's value (the last one, where it was deleted under a gang), else the highest of the
  // members, else 0; at most kMaxPriority. O(members).
  [[nodiscard]] std::int32_t Priority(GangId id) const;

  // Queues. A row once made stays; `exists` says whether the Queue does.
  [[nodiscard]] std::uint32_t queue_rows() const {
    return static_cast<std::uint32_t>(t_.queues.size());
  }
  [[nodiscard]] std::optional<QueueId> FindQueue(std::string_view name) const {
    return t_.FindQueue(name);
  }
  [[nodiscard]] const QueueRow& queue(QueueId id) const { return t_.queues[id.value]; }
  // By ResourceId: what its placed pods ask for, until they are terminal or gone.
  [[nodiscard]] std::span<const std::int64_t> usage(QueueId id) const { return t_.usage(id); }

  [[nodiscard]] const NamespaceRow& ns(NamespaceId id) const { return t_.namespaces[id.value]; }
  [[nodiscard]] std::optional<std::int32_t> PriorityClass(const std::string& name) const;

  // Open journal entries, by id.
  [[nodiscard]] const std::map<std::uint64_t, EntryRow>& entries() const { return t_.entries; }
  void AbandonEntry(std::uint64_t id);  // It stays open until EntryClosed.
  // As EntryStranded says it, of an entry that this leader has found so.
  void StrandMember(std::uint64_t id, PodId pod);
  void SetEntryFirstSeen(std::uint64_t id, Ticks now);  // Once for each entry.
  [[nodiscard]] bool synced() const { return t_.synced; }
  // Of an entry that stood on a page that was lost, or may have: what was to become of it is not
  // known. Of a pod that names no entry, or one that never was, nothing is known at all.
  [[nodiscard]] bool IntentLost(PodId id) const { return pod(id).bound_by < t_.intact_from; }

  // What Decide has to look at; cleared by it when it has.
  [[nodiscard]] const Touched& touched() const { return t_.touched; }
  void ClearTouched();

  [[nodiscard]] const Columns& columns() const { return t_.columns; }
  [[nodiscard]] const Tables& tables() const { return t_; }
  [[nodiscard]] Tables& tables() { return t_; }  // For Transaction alone.

 private:
  Tables t_;
};

}  // namespace muster::scheduler
