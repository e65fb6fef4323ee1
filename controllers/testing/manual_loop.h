// A ports::Loop under virtual time, for tests: nothing runs but within Run and Advance, timers in
// the order of (time, creation). One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "controllers/ports/loop.h"

namespace muster::controllers::testing {

class ManualLoop final : public ports::Loop {
 public:
  // Both clocks start at a time of which no digit is zero by chance.
  static constexpr std::int64_t kMonoStartMs = 5'000;
  static constexpr std::int64_t kWallStartMs = 1'788'220'800'250;  // 2026-09-01T00:00:00.250Z

  void Post(Task task) override { posted_.push_back(std::move(task)); }
  TimerId After(std::int64_t delay_ms, Task task) override {
    const TimerId id{++last_timer_};
    timers_.emplace(std::pair{elapsed_ms_ + delay_ms, id.value}, std::move(task));
    return id;
  }
  void Cancel(TimerId timer) override {
    std::erase_if(timers_, [timer](const auto& item) { return item.first.second == timer.value; });
  }
  [[nodiscard]] Now now() const override {
    return {{kMonoStartMs + elapsed_ms_}, {kWallStartMs + elapsed_ms_}};
  }
  [[nodiscard]] std::uint64_t Random() override { return ++random_; }

  // Runs what is posted, and what that posts.
  void Run() {
    while (!posted_.empty()) {
      const Task task = std::move(posted_.front());
      posted_.pop_front();
      task();
    }
  }
  // Lets the time pass, each timer at its own instant.
  void Advance(std::int64_t ms) {
    const std::int64_t end_ms = elapsed_ms_ + ms;
    Run();
    while (!timers_.empty() && timers_.begin()->first.first <= end_ms) {
      elapsed_ms_ = std::max(elapsed_ms_, timers_.begin()->first.first);
      const Task task = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      task();
      Run();
    }
    elapsed_ms_ = end_ms;
  }
  [[nodiscard]] std::size_t timers() const { return timers_.size(); }

 private:
  std::deque<Task> posted_;
  std::map<std::pair<std::int64_t, std::uint32_t>, Task> timers_;
  std::int64_t elapsed_ms_ = 0;
  std::uint32_t last_timer_ = 0;
  std::uint64_t random_ = 0;
};

}  // namespace muster::controllers::testing
