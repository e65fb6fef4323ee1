// Virtual time: tasks in the order of (time, when they were planned). One thread; nothing waits.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "scheduler/base/ids.h"

namespace muster::e2e {

// In ms.
inline constexpr std::int64_t kSecond = 1'000, kMinute = 60'000;

class SimLoop {
 public:
  using Task = std::function<void()>;
  using Ticket = std::pair<std::int64_t, std::uint64_t>;  // Time in ms, number.

  // 2026-09-01T00:00:00Z.
  static constexpr std::int64_t kWallStartMs = 1'788'220'800'000;

  // Not before `delay_ms` (>= 0) have passed.
  Ticket After(std::int64_t delay_ms, Task task) {
    const Ticket ticket{elapsed_ms_ + delay_ms, ++planned_};
    tasks_.emplace(ticket, std::move(task));
    return ticket;
  }
  void Cancel(Ticket ticket) { tasks_.erase(ticket); }

  [[nodiscard]] std::int64_t elapsed_ms() const { return elapsed_ms_; }
  [[nodiscard]] std::int64_t wall_ms() const { return kWallStartMs + elapsed_ms_; }
  [[nodiscard]] Now now() const { return {{elapsed_ms_}, {wall_ms()}}; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  // Runs the next task, if there is one before `end_ms`.
  bool Step(std::int64_t end_ms) {
    if (tasks_.empty() || tasks_.begin()->first.first > end_ms) return false;
    elapsed_ms_ = tasks_.begin()->first.first;
    const Task task = std::move(tasks_.begin()->second);
    tasks_.erase(tasks_.begin());
    ++steps_;
    task();
    return true;
  }

 private:
  std::map<Ticket, Task> tasks_;
  std::int64_t elapsed_ms_ = 0;
  std::uint64_t planned_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace muster::e2e
