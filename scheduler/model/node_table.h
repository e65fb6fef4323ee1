// Nodes by dense row: the object's facts, allocatable amounts, and the order of names. Use is not
// here (Columns).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/line_vector.h"
#include "scheduler/base/row_index.h"
#include "scheduler/model/rows.h"

namespace muster::scheduler {

class NodeTable {
 public:
  // The row of the name; a new one is a ghost.
  NodeId Intern(std::string_view name);
  [[nodiscard]] std::optional<NodeId> Find(std::string_view name) const;
  [[nodiscard]] const NodeRow& row(NodeId id) const { return rows_[id.value]; }
  [[nodiscard]] NodeRow& row(NodeId id) { return rows_[id.value]; }
  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(rows_.size()); }

  // Into, or out of, the order of names. The row of a node that is gone is a ghost.
  void Join(NodeId id);
  void Leave(NodeId id);
  // A ghost that nothing names any more; the row is given out again after Recycle.
  void Drop(NodeId id);
  void Recycle();

  [[nodiscard]] std::span<const NodeId> by_name() const { return by_name_; }
  [[nodiscard]] std::uint64_t order(NodeId id) const { return order_[id.value]; }
  [[nodiscard]] std::uint64_t order_epoch() const { return order_epoch_; }

  [[nodiscard]] std::span<const std::int64_t> allocatable(NodeId id) const {
    return {allocatable_.data() + std::size_t{id.value} * width_, width_};
  }
  [[nodiscard]] std::span<std::int64_t> allocatable(NodeId id) {
    return {allocatable_.data() + std::size_t{id.value} * width_, width_};
  }
  void Widen(std::uint32_t width);

 private:
  void Relabel();

  std::vector<NodeRow> rows_;
  std::vector<std::uint64_t> order_;      // By row; of existing nodes.
  LineVector<std::int64_t> allocatable_;  // By row, width_ each.
  std::vector<NodeId> by_name_;           // Existing nodes, sorted by name.
  std::vector<bool> dropped_;             // By row.
  std::vector<NodeId> dead_, free_;
  std::uint32_t width_ = 1;
  std::uint64_t order_epoch_ = 0;
  RowIndex index_;
};

}  // namespace muster::scheduler
