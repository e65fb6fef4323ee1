#include "scheduler/model/node_table.h"

#include <algorithm>

#include "scheduler/base/check.h"

namespace muster::scheduler {
namespace {

// Labels are below 2^40, so a key can hold a score above them. A list that arrives in order
// appends, with room between neighbours for names that come later.
constexpr std::uint64_t kOrderMax = std::uint64_t{1} << 40U;
constexpr std::uint64_t kOrderGap = std::uint64_t{1} << 20U;

}  // namespace

NodeId NodeTable::Intern(std::string_view name) {
  if (const auto found = Find(name)) {
    dropped_[found->value] = false;
    return *found;
  }
  std::uint32_t row = rows();
  if (free_.empty()) {
    rows_.emplace_back();
    order_.push_back(0);
    dropped_.push_back(false);
    allocatable_.resize(allocatable_.size() + width_, 0);
  } else {
    row = free_.back().value;
    free_.pop_back();
  }
  rows_[row].name = name;
  index_.Insert(HashText(name), row);
  return NodeId{row};
}

std::optional<NodeId> NodeTable::Find(std::string_view name) const {
  const auto row =
      index_.Find(HashText(name), [&](std::uint32_t r) { return rows_[r].name == name; });
  if (!row) return std::nullopt;
  return NodeId{*row};
}

void NodeTable::Join(NodeId id) {
  NodeRow& node = row(id);
  MUSTER_CHECK(!node.exists);
  node.exists = true;
  const auto at = std::lower_bound(
      by_name_.begin(), by_name_.end(), node.name,
      [this](NodeId other, const std::string& name) { return row(other).name < name; });
  // Half way between the neighbours, so that nobody else's label changes.
  const std::uint64_t low = at == by_name_.begin() ? 0 : order(*(at - 1));
  const std::uint64_t high =
      at == by_name_.end() ? std::min(kOrderMax, low + 2 * kOrderGap) : order(*at);
  order_[id.value] = low + (high - low) / 2;
  by_name_.insert(at, id);
  if (high - low < 2) Relabel();  // No number was left between them.
}

void NodeTable::Leave(NodeId id) {
  NodeRow& node = row(id);
  MUSTER_CHECK(node.exists);
  const auto at =
      std::lower_bound(by_name_.begin(), by_name_.end(), order(id),
                       [this](NodeId other, std::uint64_t label) { return order(other) < label; });
  MUSTER_CHECK(at != by_name_.end() && *at == id);
  by_name_.erase(at);
  // The ghost keeps its name alone: facts of a node end with it.
  std::string name = std::move(node.name);
  node = NodeRow{};
  node.name = std::move(name);
  std::ranges::fill(allocatable(id), 0);
}

void NodeTable::Drop(NodeId id) {
  MUSTER_CHECK(!row(id).exists);
  if (dropped_[id.value]) return;
  dropped_[id.value] = true;
  dead_.push_back(id);
}

void NodeTable::Recycle() {
  for (const NodeId id : dead_) {
    if (!dropped_[id.value]) continue;  // Named again meanwhile.
    dropped_[id.value] = false;
    index_.Erase(HashText(row(id).name), id.value);
    row(id) = NodeRow{};
    free_.push_back(id);
  }
  dead_.clear();
}

void NodeTable::Widen(std::uint32_t width) {
  LineVector<std::int64_t> wide(std::size_t{rows()} * width, 0);
  for (std::size_t i = 0; i < rows(); ++i) {
    std::copy_n(allocatable_.begin() + static_cast<std::ptrdiff_t>(i * width_), width_,
                wide.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  allocatable_.swap(wide);
  width_ = width;
}

void NodeTable::Relabel() {
  ++order_epoch_;
  const std::uint64_t gap = kOrderMax / (by_name_.size() + 1);
  MUSTER_CHECK(gap >= 2);
  for (std::size_t i = 0; i < by_name_.size(); ++i) order_[by_name_[i].value] = (i + 1) * gap;
}

}  // namespace muster::scheduler
