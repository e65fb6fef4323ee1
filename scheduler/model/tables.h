// All tables of the cluster, as plain data with look-ups and interning. Cluster is the face to
// readers; only the functions of model/ write here, and those that change what a pod counts for go
// through ledger.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/hash_index.h"
#include "scheduler/base/row_index.h"
#include "scheduler/model/columns.h"
#include "scheduler/model/images.h"
#include "scheduler/model/node_table.h"
#include "scheduler/model/resources.h"
#include "scheduler/model/rows.h"
#include "scheduler/model/shapes.h"
#include "scheduler/model/uids.h"

namespace muster::scheduler {

// The queue of a gang that names none, in a namespace that names none.
inline constexpr std::string_view kDefaultQueue = "default";

struct Tables {
  Tables();

  Columns columns;
  ResourceTable resources;
  ShapeTable shapes;
  ImageTable images;
  NodeTable nodes;
  std::vector<PodRow> pods;
  std::vector<GangRow> gangs;
  std::vector<QueueRow> queues;
  std::vector<NamespaceRow> namespaces;
  std::map<std::string, std::int32_t> priority_classes;
  // Deleted while a gang named them: what runs keeps the value that it was placed with.
  std::map<std::string, std::int32_t> gone_classes;
  std::map<std::uint64_t, EntryRow> entries;
  HashIndex<Uid, std::uint64_t> awaited;  // Members of entries whose pods have not been seen.
  UidTable pins;
  GoneUids gone;
  std::uint64_t next_entry = 1;  // Above every id ever seen.
  bool synced = false;
  std::uint64_t intact_from = 0;  // Of Synced: intent of entries below it may be lost.
  Touched touched;
  std::string cause;  // Of the event being applied; "" = nothing is recorded (a Transaction).

  [[nodiscard]] std::optional<PodId> FindPod(std::string_view uid) const;
  [[nodiscard]] std::optional<GangId> FindGang(const Key& key) const;
  // The existing PodGroup of that uid.
  [[nodiscard]] std::optional<GangId> FindGroup(std::string_view uid) const;
  [[nodiscard]] std::optional<QueueId> FindQueue(std::string_view name) const;
  [[nodiscard]] std::optional<NamespaceId> FindNamespace(std::string_view name) const;
  [[nodiscard]] Record record(PodId id) const {
    return static_cast<Record>(columns.Get({Column::kPodRecord, id.value}));
  }
  [[nodiscard]] std::optional<NodeId> node_of(PodId id) const {
    const std::int64_t cell = columns.Get({Column::kPodNode, id.value});
    if (cell == 0) return std::nullopt;
    return NodeId{static_cast<std::uint32_t>(cell - 1)};
  }
  // Where a reserved pod that moves will be bound.
  [[nodiscard]] std::optional<NodeId> next_of(PodId id) const {
    const std::int64_t cell = columns.Get({Column::kPodNext, id.value});
    if (cell == 0) return std::nullopt;
    return NodeId{static_cast<std::uint32_t>(cell - 1)};
  }
  // Who would pay; whether it counts now says ledger.h's StandingOf.
  [[nodiscard]] std::optional<QueueId> payer_of(PodId id) const {
    const std::int64_t cell = columns.Get({Column::kPodCharge, id.value});
    if (cell == 0) return std::nullopt;
    return QueueId{static_cast<std::uint32_t>(cell - 1)};
  }
  [[nodiscard]] std::span<const std::int64_t> used(NodeId id) const {
    const std::size_t width = columns.width();
    return columns.Row(Column::kNodeUsed, id.value * width, width);
  }
  [[nodiscard]] std::span<const std::int64_t> usage(QueueId id) const {
    const std::size_t width = columns.width();
    return columns.Row(Column::kQueueUsage, id.value * width, width);
  }

  // Interning makes the row if it is missing (a ghost node, a gang or queue that does not exist).
  PodId NewPod(const Uid& uid);
  void FreePod(PodId id);
  GangId InternGang(const Key& key);
  QueueId InternQueue(std::string_view name);
  QueueId DefaultQueueOf(NamespaceId ns);
  NamespaceId InternNamespace(std::string_view name);
  NodeId InternNode(std::string_view name);
  // A gang or a ghost node that nothing names any more.
  void DropIfUnused(GangId id);
  void DropIfUnused(NodeId id);
  void SetGroupUid(GangId id, const Uid& uid);  // "" = it does not exist.

  void Touch(GangId id);
  void Touch(QueueId id);
  void Touch(NodeId id);
  // Forgets what was touched; dropped rows may be given out again.
  void ClearTouched();

 private:
  template <class Id>
  void Note(std::vector<Touched::Item<Id>>& list, Id id);

  std::vector<PodId> dead_pods_, free_pods_;
  std::vector<GangId> dead_gangs_, free_gangs_;
  // Look-ups by key; the keys are in the rows.
  RowIndex pod_index_, gang_index_, group_index_, queue_index_, namespace_index_;
};

}  // namespace muster::scheduler
