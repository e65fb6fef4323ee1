// Every number that a decision may change, as cells, and Set as the one way to change it: it
// journals the old value while a Transaction is open and puts the node of the cell on the change
// log. Undo is Set backwards, so it touches the same nodes again; indexes are caches that catch up
// from the log and know neither commit nor rollback. Nothing here depends on the order of past
// writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/line_vector.h"
#include "scheduler/model/pod_list.h"

namespace muster::scheduler {

enum class Column : std::uint8_t {
  kNodeUsed,    // Row: node x width + resource.
  kQueueUsage,  // Row: queue x width + resource.
  kGangCount,   // Row: gang x kGangCounters + Record (or kRunningCounter).
  kPodNext,     // Row: pod. Node + 1 to which a reserved pod moves; 0 = none, as nearly always.
  kPodRecord,   // Row: pod. A Record (rows.h).
  kPodNode,     // Row: pod. Node + 1; 0 = none.
  kPodCharge,   // Row: pod. Queue + 1 that pays for the pod while it is placed; 0 = none.
  kPodPick,     // Row: pod. What a ReservePlugin chose on the node, in its own code; 0 = nothing.
};

struct Cell {
  Column column{};
  std::uint32_t row = 0;
};

class Columns {
 public:
  [[nodiscard]] std::int64_t Get(Cell cell) const {
    const Slot slot = SlotOf(cell);
    return cells_[slot.store][slot.at];
  }
  void Set(Cell cell, std::int64_t value);

  // Makes cells, of value 0, for rows below `rows`. Of a pod column: for all of them.
  void Grow(Column column, std::size_t rows);
  // Cells of `count` rows from `first`, in place. Not of the pod columns from kPodRecord on.
  [[nodiscard]] std::span<const std::int64_t> Row(Column column, std::size_t first,
                                                  std::size_t count) const;

  // Resources per row of kNodeUsed and kQueueUsage. Growing it moves every cell, so no journal may
  // be open.
  [[nodiscard]] std::uint32_t width() const { return width_; }
  void Widen(std::uint32_t width);

  void OpenJournal();
  void CloseJournal();  // Keeps the writes.
  [[nodiscard]] bool journal_open() const { return open_; }
  [[nodiscard]] std::size_t mark() const { return journal_.size(); }
  void RollbackTo(std::size_t mark);
  struct Old {
    Cell cell;
    std::int64_t value = 0;
  };
  [[nodiscard]] std::span<const Old> journal() const { return journal_; }

  // The node object itself changed. What is used of it comes onto the log by Set.
  void Touch(NodeId node) { Note({.node = node, .object = true}); }
  [[nodiscard]] std::uint64_t change_seq() const { return log_start_ + log_.size(); }
  struct Change {
    NodeId node;
    bool object = false;  // Else its use alone.
    friend bool operator==(const Change&, const Change&) = default;
  };
  // Since `seq`, repeats included; nullopt when the log no longer reaches back: rebuild. Valid
  // until the next write.
  [[nodiscard]] std::optional<std::span<const Change>> ChangedSince(std::uint64_t seq) const;

  // Pods whose kPodNode is the node, by PodId (no order of meaning).
  [[nodiscard]] std::span<const PodId> PodsOn(NodeId node) const;

 private:
  // The cells of one pod lie side by side: they are read together. Only kPodNext lies apart.
  static constexpr std::size_t kStores = 5;
  static constexpr std::size_t kPodCells = 4;
  static constexpr auto kFirstPodColumn = static_cast<std::size_t>(Column::kPodRecord);
  struct Slot {
    std::size_t store = 0, at = 0;
  };
  static Slot SlotOf(Cell cell) {
    const auto column = static_cast<std::size_t>(cell.column);
    if (column < kFirstPodColumn) return {column, cell.row};
    return {kStores - 1, std::size_t{cell.row} * kPodCells + (column - kFirstPodColumn)};
  }

  void Write(Cell cell, std::int64_t value);
  void Note(Change change);
  void MovePod(PodId pod, std::int64_t from, std::int64_t to);

  std::array<LineVector<std::int64_t>, kStores> cells_;
  std::vector<PodList> pods_on_;  // By node.
  std::uint32_t width_ = 1;
  bool open_ = false;
  std::vector<Old> journal_;
  std::vector<Change> log_;
  std::uint64_t log_start_ = 0;
};

}  // namespace muster::scheduler
