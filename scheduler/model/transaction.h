// A tentative change of the cluster: place, look, and keep it or take it back. It lies in model/
// and not in solve/ because ReservePlugins write through it. One is open at a time and no Event is
// applied meanwhile; a what-if nests by mark(). "Rolled back" means: Snapshot() is equal byte for
// byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/model/cluster.h"

namespace muster::scheduler {

class Transaction {
 public:
  // `joins`: what is placed joins this open entry, and is charged where that is. 0: a new one.
  explicit Transaction(Cluster& cluster, std::uint64_t joins = 0);
  ~Transaction();  // Rolls back what was not committed.
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // Pending pods onto one node: Reserved, charged to the queue of their gang; node use, queue usage
  // and member counts together. No limit is looked at: that is the caller's decision. Reserved ones
  // of the entry that is joined move: both nodes are charged until EntryAmended.
  void Place(std::span<const PodId> pods, NodeId node);
  // As if the pod were gone. For a what-if only: Commit refuses it.
  void Remove(PodId pod);
  // What a ReservePlugin picked.
  void Set(Cell cell, std::int64_t value);

  [[nodiscard]] std::size_t mark() const;
  void RollbackTo(std::size_t mark);

  // Everything placed becomes one open entry.
  struct Entry {
    GangId gang{};
    // All members of the entry, each placed now or bound before.
    std::vector<PodId> pods{};
    std::vector<Charge> charges{};
    std::int32_t min_member = 0;
    std::vector<SubGroup> sub_groups{};
    std::int64_t timeout_ms = 0;
    Ticks now{};
  };
  // Returns the id of the entry: a new one is 1 + the highest ever seen.
  std::uint64_t Commit(const Entry& entry);

  // Everything placed joins the open entry: each pod in the place of the member `replaces`, whose
  // pod is lost, or of itself (it moves, or stays where it is after all).
  struct Change {
    Uid replaces;  // "" = a place that a member has left.
    PodId pod{};
  };
  void Amend(std::span<const Change> changes);

 private:
  void Close();  // What was written stays.

  Cluster& cluster_;
  const std::uint64_t joins_;
  bool open_ = true;
};

}  // namespace muster::scheduler
