// Interned pod shapes with their use counts. A ShapeId is a row number without meaning of its own:
// order shapes by their content, never by id. A row whose count fell to 0 is reused only by
// Recycle, and its version then differs: caches key on (id, version).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/row_index.h"
#include "scheduler/model/event.h"
#include "scheduler/model/resources.h"

namespace muster::scheduler {

using Request = std::pair<ResourceId, std::int64_t>;

class ShapeTable {
 public:
  // Raises the count of the shape by one.
  ShapeId Acquire(const PodShape& shape, const ResourceTable& resources);
  void Retain(ShapeId id);
  void Release(ShapeId id);
  // Rows that nobody uses may be given out again.
  void Recycle();
  // A resource was interned: shapes that ask for it are compiled anew (and get a new version).
  void Recompile(const ResourceTable& resources, ResourceId added);

  [[nodiscard]] const PodShape& shape(ShapeId id) const { return rows_[id.value].shape; }
  // Parallel to shape(id).requests. The pod slot is not in it.
  [[nodiscard]] std::span<const Request> request(ShapeId id) const {
    return rows_[id.value].request;
  }
  // Pods that have the shape now, in whatever state.
  [[nodiscard]] std::uint32_t live(ShapeId id) const { return rows_[id.value].live; }
  // Never 0; differs whenever the id means something else.
  [[nodiscard]] std::uint64_t version(ShapeId id) const { return rows_[id.value].version; }
  // Ids are below this.
  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(rows_.size()); }

 private:
  struct Row {
    PodShape shape;
    std::vector<Request> request;
    std::uint64_t hash = 0;
    std::uint64_t version = 0;
    std::uint32_t live = 0;
    bool free = false;
  };
  std::vector<Row> rows_;
  std::vector<ShapeId> dead_, free_;
  RowIndex index_;
  std::uint64_t versions_ = 0;
};

}  // namespace muster::scheduler
