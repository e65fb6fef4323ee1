// The frames of one watch between the writer that makes them and the connection that sends them.
// The writer never waits: a reader that falls too far behind loses its stream and lists again.
// Push and End from any thread, Pop from the one reader.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>

namespace muster::e2e {

class FrameQueue {
 public:
  using Clock = std::chrono::steady_clock;

  explicit FrameQueue(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Past `bytes_max` unread bytes the stream ends, what was queued is still read.
  void Push(const std::string& frame);
  void End();
  // All queued frames, each followed by a line end. Empty: `until` has passed, or the stream ended.
  [[nodiscard]] std::string Pop(Clock::time_point until);
  [[nodiscard]] bool ended() const;  // Ended and all of it read.

 private:
  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string lines_;
  bool ended_ = false;
};

}  // namespace muster::e2e
