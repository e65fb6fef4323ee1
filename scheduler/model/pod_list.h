// The pods of one node, by PodId. A few lie in the list itself, in one cache line with their
// number, so that a node that was not looked at for long costs one miss and no allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/base/check.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/line_vector.h"

namespace muster::scheduler {

class alignas(kCacheLine) PodList {
 public:
  [[nodiscard]] std::span<const PodId> pods() const {
    if (size_ > kNear) return far_;
    return std::span(near_).first(size_);
  }

  // It is not in the list yet.
  void Insert(PodId pod) {
    const std::size_t at = PlaceOf(pod);
    MUSTER_CHECK(at == size_ || pods()[at] != pod);
    if (size_ == kNear) far_.assign(near_.begin(), near_.end());
    if (size_ >= kNear) {
      far_.insert(far_.begin() + static_cast<std::ptrdiff_t>(at), pod);
    } else {
      std::copy_backward(near_.begin() + at, near_.begin() + size_, near_.begin() + size_ + 1);
      near_[at] = pod;
    }
    ++size_;
  }

  // It is in the list.
  void Erase(PodId pod) {
    const std::size_t at = PlaceOf(pod);
    MUSTER_CHECK(at < size_ && pods()[at] == pod);
    if (size_ > kNear) {
      far_.erase(far_.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      std::copy(near_.begin() + at + 1, near_.begin() + size_, near_.begin() + at);
    }
    --size_;
    if (size_ != kNear) return;
    std::copy(far_.begin(), far_.end(), near_.begin());
    far_ = {};
  }

 private:
  static constexpr std::uint32_t kNear = 9;  // As many as the line holds beside the rest.

  [[nodiscard]] std::size_t PlaceOf(PodId pod) const {
    const std::span<const PodId> list = pods();
    return static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), pod) - list.begin());
  }

  std::vector<PodId> far_;  // All of them, once they are more than kNear.
  std::uint32_t size_ = 0;
  std::array<PodId, kNear> near_{};
};

}  // namespace muster::scheduler
