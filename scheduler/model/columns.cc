#include "scheduler/model/columns.h"

#include <algorithm>

#include "scheduler/base/check.h"

namespace muster::scheduler {
namespace {

// Past this many touches a reader that lags rebuilds, which costs it about as much.
constexpr std::size_t kLogMax = std::size_t{1} << 17U;

// Rows of `from` cells become rows of `to` cells, the new ones 0.
void Spread(LineVector<std::int64_t>& cells, std::size_t from, std::size_t to) {
  const std::size_t rows = cells.size() / from;
  LineVector<std::int64_t> wide(rows * to, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(cells.begin() + static_cast<std::ptrdiff_t>(i * from), from,
                wide.begin() + static_cast<std::ptrdiff_t>(i * to));
  }
  cells.swap(wide);
}

}  // namespace

void Columns::Set(Cell cell, std::int64_t value) {
  const std::int64_t old = Get(cell);
  if (old == value) return;
  if (open_) journal_.push_back({cell, old});
  Write(cell, value);
}

void Columns::Write(Cell cell, std::int64_t value) {
  // Two columns are mirrored: the lists of pods by node, and the log of nodes whose room changed.
  const Slot slot = SlotOf(cell);
  MUSTER_CHECK(slot.at < cells_[slot.store].size());
  std::int64_t& stored = cells_[slot.store][slot.at];
  if (cell.column == Column::kPodNode) MovePod(PodId{cell.row}, stored, value);
  if (cell.column == Column::kNodeUsed) Note({.node = NodeId{cell.row / width_}});
  stored = value;
}

// The lists are sorted, so that a move and its undo leave them as they were.
void Columns::MovePod(PodId pod, std::int64_t from, std::int64_t to) {
  if (from != 0) pods_on_[static_cast<std::size_t>(from - 1)].Erase(pod);
  if (to != 0) {
    const auto node = static_cast<std::size_t>(to - 1);
    if (node >= pods_on_.size()) pods_on_.resize(node + 1);
    pods_on_[node].Insert(pod);
  }
}

void Columns::Grow(Column column, std::size_t rows) {
  const bool of_pods = static_cast<std::size_t>(column) >= kFirstPodColumn;
  LineVector<std::int64_t>& cells = cells_[SlotOf({column, 0}).store];
  const std::size_t size = of_pods ? rows * kPodCells : rows;
  if (size > cells.size()) cells.resize(size, 0);
}

std::span<const std::int64_t> Columns::Row(Column column, std::size_t first,
                                           std::size_t count) const {
  MUSTER_CHECK(static_cast<std::size_t>(column) < kFirstPodColumn);
  const LineVector<std::int64_t>& cells = cells_[static_cast<std::size_t>(column)];
  MUSTER_CHECK(first + count <= cells.size());
  return std::span(cells).subspan(first, count);
}

void Columns::Widen(std::uint32_t width) {
  MUSTER_CHECK(!open_);
  MUSTER_CHECK(width >= width_);  // Cells of a resource never go away.
  Spread(cells_[static_cast<std::size_t>(Column::kNodeUsed)], width_, width);
  Spread(cells_[static_cast<std::size_t>(Column::kQueueUsage)], width_, width);
  width_ = width;
}

void Columns::OpenJournal() {
  MUSTER_CHECK(!open_);
  open_ = true;
}

void Columns::CloseJournal() {
  MUSTER_CHECK(open_);
  open_ = false;
  journal_.clear();
}

void Columns::RollbackTo(std::size_t mark) {
  MUSTER_CHECK(open_);
  MUSTER_CHECK(mark <= journal_.size());
  while (journal_.size() > mark) {
    const Old old = journal_.back();
    journal_.pop_back();
    Write(old.cell, old.value);
  }
}

void Columns::Note(Change change) {
  // Readers hold a sequence number, so the newer half stays readable.
  if (log_.size() >= 2 * kLogMax) {
    log_.erase(log_.begin(), log_.begin() + kLogMax);
    log_start_ += kLogMax;
  }
  log_.push_back(change);
}

std::optional<std::span<const Columns::Change>> Columns::ChangedSince(std::uint64_t seq) const {
  MUSTER_CHECK(seq <= change_seq());
  if (seq < log_start_) return std::nullopt;
  // The last entry has the number change_seq() - 1.
  return std::span(log_).subspan(static_cast<std::size_t>(seq - log_start_));
}

std::span<const PodId> Columns::PodsOn(NodeId node) const {
  if (node.value >= pods_on_.size()) return {};
  return pods_on_[node.value].pods();
}

}  // namespace muster::scheduler
