// The largest of n keys under point updates: a tournament over dense ids. Set costs O(log n), Max
// O(1), a rebuild O(n). Its answer depends on the present keys alone, never on the order of writes.
// Equal keys: the lower id. Copyable; not thread-safe.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/base/check.h"

namespace muster {

// Key 0 means "not there".
class MaxTree {
 public:
  using Key = std::uint64_t;

  // Ids are below `keys.size()`.
  void Assign(std::span<const Key> keys) {
    size_ = keys.size();
    leaves_ = std::bit_ceil(size_ == 0 ? std::size_t{1} : size_);
    tree_.assign(2 * leaves_, 0);
    for (std::size_t i = 0; i < size_; ++i) tree_[leaves_ + i] = keys[i];
    for (std::size_t i = leaves_ - 1; i > 0; --i) tree_[i] = Larger(i);
  }
  // New ids have key 0.
  void Resize(std::size_t size) {
    if (size <= leaves_) {
      for (std::size_t i = size; i < size_; ++i) Set(i, 0);
      size_ = size;
      return;
    }
    std::vector<Key> keys(tree_.begin() + static_cast<std::ptrdiff_t>(leaves_),
                          tree_.begin() + static_cast<std::ptrdiff_t>(leaves_ + size_));
    keys.resize(size, 0);
    Assign(keys);
  }
  void Set(std::size_t id, Key key) {
    MUSTER_CHECK(id < size_);
    std::size_t i = leaves_ + id;
    if (tree_[i] == key) return;
    tree_[i] = key;
    for (i /= 2; i > 0; i /= 2) {
      const Key larger = Larger(i);
      if (tree_[i] == larger) return;
      tree_[i] = larger;
    }
  }
  [[nodiscard]] Key Get(std::size_t id) const {
    MUSTER_CHECK(id < size_);
    return tree_[leaves_ + id];
  }
  [[nodiscard]] Key MaxKey() const { return tree_[1]; }
  // The id of the largest key; none if all are 0.
  [[nodiscard]] std::optional<std::uint32_t> Max() const {
    if (tree_[1] == 0) return std::nullopt;
    std::size_t i = 1;
    while (i < leaves_) i = tree_[2 * i] == tree_[i] ? 2 * i : 2 * i + 1;
    return static_cast<std::uint32_t>(i - leaves_);
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  [[nodiscard]] Key Larger(std::size_t i) const {
    return tree_[2 * i] < tree_[2 * i + 1] ? tree_[2 * i + 1] : tree_[2 * i];
  }

  std::size_t size_ = 0;
  std::size_t leaves_ = 1;
  std::vector<Key> tree_ = {0, 0};  // [1] is the root, [leaves_ + id] the leaf.
};

}  // namespace muster
