#include "scheduler/base/row_index.h"

namespace muster {

void RowIndex::Insert(std::uint64_t hash, std::uint32_t row) {
  MUSTER_CHECK(row != kEmpty);
  if (slots_.empty() || (size_ + 1) * 4 > slots_.size() * 3) Grow();
  Put({Mark(hash), row});
  ++size_;
}

void RowIndex::Erase(std::uint64_t hash, std::uint32_t row) {
  MUSTER_CHECK(!slots_.empty());
  std::size_t hole = Mark(hash) & mask();
  while (slots_[hole].row != row) {
    MUSTER_CHECK(slots_[hole].row != kEmpty);
    hole = (hole + 1) & mask();
  }
  // Backward shift: what probing has pushed past the hole moves into it, so no tombstones.
  for (std::size_t i = (hole + 1) & mask(); slots_[i].row != kEmpty; i = (i + 1) & mask()) {
    const std::size_t home = slots_[i].mark & mask();
    if (((i - home) & mask()) < ((i - hole) & mask())) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole] = Slot{};
  --size_;
}

void RowIndex::Put(Slot slot) {
  std::size_t i = slot.mark & mask();
  while (slots_[i].row != kEmpty) {
    MUSTER_CHECK(slots_[i].row != slot.row || slots_[i].mark != slot.mark);
    i = (i + 1) & mask();
  }
  slots_[i] = slot;
}

void RowIndex::Grow() {
  std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.row != kEmpty) Put(slot);
  }
}

}  // namespace muster
