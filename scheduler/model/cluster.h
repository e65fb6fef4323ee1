// The cluster as tables: dense rows, interned names, no pointer between rows, copyable (a what-if
// takes a copy). Every number that a decision may change is a cell of Columns, and Set is the one
// way to change it: it journals the old value while a Transaction is open and puts the cell's node
// on the change log. Undo is Set backwards. Indexes are caches that catch up from the log, so
// neither commit nor rollback knows of them. No structure here may depend on the order of past
// writes (no heap, no linked list).
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "scheduler/model/event.h"

namespace muster::scheduler {

enum class Column : std::uint8_t {
  kNodeUsed,
  kNodeClaimed,
  kNodeDevice,
  kPodNode,
  kPodDevice,
  kGangPlaced,
  kQueueUsage,
  kTermCount,
  kVolumeHolder
};
struct Cell {
  Column column{};
  std::uint32_t row = 0;
};

class Columns {
 public:
  [[nodiscard]] std::int64_t Get(Cell cell) const;
  void Set(Cell cell, std::int64_t value);
  void OpenJournal();
  void CloseJournal();  // Keeps the writes.
  [[nodiscard]] std::size_t mark() const;
  void RollbackTo(std::size_t mark);
  [[nodiscard]] std::uint64_t change_seq() const;
  // Nodes touched since `seq`, repeats included; nullopt when the log no longer reaches back:
  // rebuild.
  [[nodiscard]] std::optional<std::span<const NodeId>> ChangedSince(std::uint64_t seq) const;
};

class Cluster {
 public:
  void Apply(const Event& event);  // O(what it changed).
  [[nodiscard]] std::string Audit()
      const;  // Empty, or the first difference against a rebuild from pods and nodes.
  [[nodiscard]] std::string Snapshot()
      const;  // Canonical text: equal snapshots decide alike, byte for byte.
  static Cluster FromSnapshot(std::string_view text);
  [[nodiscard]] std::optional<NodeId> FindNode(std::string_view name) const;
  [[nodiscard]] std::span<const std::int64_t> allocatable(NodeId node) const;  // By ResourceId.
  [[nodiscard]] std::span<const std::int64_t> used(NodeId node) const;
  // Only nodes and queues intern resources; a name that no node offers maps to one id of which
  // every node has 0.
  [[nodiscard]] std::span<const std::pair<ResourceId, std::int64_t>> request(ShapeId shape) const;
  [[nodiscard]] const PodShape& shape(ShapeId shape) const;
  [[nodiscard]] ShapeId shape_of(PodId pod) const;
  [[nodiscard]] std::uint64_t name_order(
      NodeId node) const;  // Compares as the names do: last word in every tie.
  [[nodiscard]] std::int64_t TermCount(std::uint32_t term, NodeId node)
      const;  // Pods that match an (anti-)affinity or spread term in the node's domain.
  [[nodiscard]] const Columns& columns() const;
  [[nodiscard]] Columns& columns();  // For Transaction and Apply.
};

class Transaction {  // In model/, not solve/: ReservePlugins write through it. One is open at a
                     // time; what-if nests by mark().
 public:
  explicit Transaction(Cluster& cluster);
  ~Transaction();  // Rolls back what was not committed.
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void Place(std::span<const PodId> pods,
             NodeId node);  // Node, gang, queue path and term counts, together.
  void Remove(PodId pod);   // As if evicted and gone.
  void Set(Cell cell,
           std::int64_t value);  // What a ReservePlugin picked: devices, a NUMA zone, a volume.
  [[nodiscard]] std::size_t mark() const;
  void RollbackTo(std::size_t mark);
  void Commit();
};

}  // namespace muster::scheduler
