// A hash index of row numbers: it keeps (hash, row) only, the keys stay in the rows, so the caller
// compares. Look-up alone, no iteration: nothing can depend on the order of hashing. Copyable; not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "scheduler/base/check.h"

namespace muster {

// The hash that every RowIndex of text uses.
[[nodiscard]] inline std::uint64_t HashText(std::string_view text) {
  return std::hash<std::string_view>{}(text);
}

class RowIndex {
 public:
  // The row of that hash for which `equal(row)` holds.
  template <class Equal>
  [[nodiscard]] std::optional<std::uint32_t> Find(std::uint64_t hash, Equal equal) const {
    if (slots_.empty()) return std::nullopt;
    const std::uint32_t mark = Mark(hash);
    for (std::size_t i = mark & mask(); slots_[i].row != kEmpty; i = (i + 1) & mask()) {
      if (slots_[i].mark == mark && equal(slots_[i].row)) return slots_[i].row;
    }
    return std::nullopt;
  }
  // The row is not in the index under this hash yet.
  void Insert(std::uint64_t hash, std::uint32_t row);
  // The row is in the index under this hash.
  void Erase(std::uint64_t hash, std::uint32_t row);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint32_t mark = 0;
    std::uint32_t row = kEmpty;
  };
  static constexpr std::uint32_t kEmpty = 0xffff'ffff;
  static std::uint32_t Mark(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
  }
  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  void Put(Slot slot);
  void Grow();

  std::vector<Slot> slots_;  // A power of two, at most three quarters full; linear probing.
  std::size_t size_ = 0;
};

}  // namespace muster
