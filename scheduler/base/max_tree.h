// A tournament tree over dense row numbers: the row with the largest key in O(1), a key changed in
// O(log n). Rows without a key hold 0. Its content depends on the keys alone, not on their history.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/base/check.h"

namespace muster {

class MaxTree {
 public:
  // Grows to hold `rows` rows; keys stay.
  void Resize(std::size_t rows) {
    if (rows <= leaves_) return;
    std::vector<std::uint64_t> keys(keys_.begin() + static_cast<std::ptrdiff_t>(leaves_),
                                    keys_.end());
    leaves_ = std::bit_ceil(rows);
    keys_.assign(2 * leaves_, 0);
    std::copy(keys.begin(), keys.end(), keys_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t i = leaves_ - 1; i > 0; --i) keys_[i] = Above(i);
  }

  void Set(std::uint32_t row, std::uint64_t key) {
    MUSTER_CHECK(row < leaves_);
    std::size_t i = leaves_ + row;
    if (keys_[i] == key) return;
    keys_[i] = key;
    for (i /= 2; i > 0; i /= 2) {
      const std::uint64_t above = Above(i);
      if (keys_[i] == above) return;
      keys_[i] = above;
    }
  }

  [[nodiscard]] std::uint64_t Get(std::uint32_t row) const {
    return row < leaves_ ? keys_[leaves_ + row] : 0;
  }

  // The row of the largest key that is not 0. Keys of rows are distinct, but for 0.
  [[nodiscard]] std::optional<std::uint32_t> Best() const {
    if (leaves_ == 0 || keys_[1] == 0) return std::nullopt;
    std::size_t i = 1;
    while (i < leaves_) i = keys_[2 * i] == keys_[1] ? 2 * i : 2 * i + 1;
    return static_cast<std::uint32_t>(i - leaves_);
  }

 private:
  [[nodiscard]] std::uint64_t Above(std::size_t i) const {
    return std::max(keys_[2 * i], keys_[2 * i + 1]);
  }

  std::size_t leaves_ = 0;           // A power of two.
  std::vector<std::uint64_t> keys_;  // [1] is the root, [leaves_ + row] the row's.
};

}  // namespace muster
