#include "scheduler/model/shapes.h"

#include <algorithm>

#include "scheduler/base/amount.h"
#include "scheduler/base/check.h"

namespace muster::scheduler {
namespace {

// Shapes that nobody uses are kept for the next pod like them, up to so many.
constexpr std::size_t kWarmShapes = 256;

// Collisions cost a comparison, nothing else: equality decides.
class Hasher {
 public:
  void Add(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9e37'79b9'7f4a'7c15U;
    hash_ ^= hash_ >> 29U;
  }
  void Add(const std::string& text) { Add(HashText(text)); }
  void Add(const Requirement& r) {
    Add(static_cast<std::uint64_t>(r.op));
    Add(r.key);
    for (const std::string& value : r.values) Add(value);
  }
  void Add(const NodeTerm& term) {
    for (const Requirement& r : term.labels) Add(r);
    for (const Requirement& r : term.fields) Add(r);
  }
  void Add(const Toleration& t) {
    Add(t.key);
    Add(t.value);
    Add((t.exists ? 1U : 0U) + (t.any_effect ? 2U : 0U) + static_cast<std::uint64_t>(t.effect) * 4);
  }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

std::uint64_t HashShape(const PodShape& shape) {
  Hasher h;
  for (const auto& [name, amount] : shape.requests) {
    h.Add(name);
    h.Add(static_cast<std::uint64_t>(amount));
  }
  for (const auto& [key, value] : shape.node_selector) {
    h.Add(key);
    h.Add(value);
  }
  for (const NodeTerm& term : shape.required_affinity) h.Add(term);
  for (const PreferredTerm& preferred : shape.preferred_affinity) {
    h.Add(static_cast<std::uint64_t>(preferred.weight));
    h.Add(preferred.term);
  }
  for (const Toleration& t : shape.tolerations) h.Add(t);
  h.Add(shape.node_name);
  for (const std::string& product : shape.gpu_products) h.Add(product);
  h.Add(static_cast<std::uint64_t>(shape.gpu_memory_min));
  h.Add(shape.driver_version_min);
  h.Add(shape.rdma);
  h.Add(shape.model);
  h.Add((shape.model_required ? 1U : 0U) + (shape.has_required_affinity ? 2U : 0U));
  return h.hash();
}

// Names to columns. Several unknown names share one column; their amounts stay apart, since a
// message names each.
std::vector<Request> Compile(const PodShape& shape, const ResourceTable& resources) {
  std::vector<Request> request;
  request.reserve(shape.requests.size());
  for (const auto& [name, amount] : shape.requests) {
    MUSTER_CHECK(amount >= 0 && amount <= kAmountMax);
    request.emplace_back(resources.FindOrUnknown(name), amount);
  }
  return request;
}

}  // namespace

ShapeId ShapeTable::Acquire(const PodShape& shape, const ResourceTable& resources) {
  const std::uint64_t hash = HashShape(shape);
  const auto found =
      index_.Find(hash, [&](std::uint32_t row) { return rows_[row].shape == shape; });
  if (found) {  // Perhaps one that is still warm.
    Retain(ShapeId{*found});
    return ShapeId{*found};
  }
  std::uint32_t row = rows();
  if (free_.empty()) {
    rows_.emplace_back();
  } else {
    row = free_.back().value;
    free_.pop_back();
  }
  rows_[row] = {.shape = shape,
                .request = Compile(shape, resources),
                .hash = hash,
                .version = ++versions_,
                .live = 1,
                .free = false};
  index_.Insert(hash, row);
  return ShapeId{row};
}

void ShapeTable::Retain(ShapeId id) {
  MUSTER_CHECK(!rows_[id.value].free);
  // From 0 it is revived; its place in the list of dead ones no longer counts.
  ++rows_[id.value].live;
}

void ShapeTable::Release(ShapeId id) {
  Row& row = rows_[id.value];
  MUSTER_CHECK(row.live > 0);
  if (--row.live == 0) dead_.push_back(id);
}

void ShapeTable::Recycle() {
  if (dead_.size() <= kWarmShapes) return;
  for (const ShapeId id : dead_) {
    Row& row = rows_[id.value];
    if (row.live != 0 || row.free) continue;  // In use again, or in the list twice.
    index_.Erase(row.hash, id.value);
    row = Row{};
    row.free = true;
    free_.push_back(id);
  }
  dead_.clear();
}

void ShapeTable::Recompile(const ResourceTable& resources, ResourceId added) {
  const std::string& name = resources.name(added);
  for (Row& row : rows_) {
    const bool asks = std::any_of(row.shape.requests.begin(), row.shape.requests.end(),
                                  [&](const auto& request) { return request.first == name; });
    if (!asks) continue;
    row.request = Compile(row.shape, resources);
    row.version = ++versions_;  // Caches of the old meaning are stale.
  }
}

}  // namespace muster::scheduler
