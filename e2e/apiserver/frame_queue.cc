#include "e2e/apiserver/frame_queue.h"

#include <utility>

namespace muster::e2e {

void FrameQueue::Push(const std::string& frame) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    if (lines_.size() + frame.size() >= bytes_max_) {
      ended_ = true;
    } else {
      lines_ += frame;
      lines_ += '\n';
    }
  }
  changed_.notify_one();
}

void FrameQueue::End() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
}

std::string FrameQueue::Pop(Clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [this] { return ended_ || !lines_.empty(); });
  return std::exchange(lines_, {});
}

bool FrameQueue::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_ && lines_.empty();
}

}  // namespace muster::e2e
