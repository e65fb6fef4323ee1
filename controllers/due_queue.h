// Keys and when each is to be looked at: at most one due time for a key, one timer for all of them.
// A turn handles a bounded number of keys, so that a full relist does not stall the loop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "controllers/ports/loop.h"

namespace muster::controllers {

template <class Key>
class DueQueue {
 public:
  // `run` may set the key anew.
  DueQueue(ports::Loop& loop, std::function<void(const Key& key)> run)
      : loop_(loop), run_(std::move(run)) {}
  ~DueQueue() { Disarm(); }
  DueQueue(const DueQueue&) = delete;
  DueQueue& operator=(const DueQueue&) = delete;

  // Monotonic milliseconds; replaces what was set.
  void Set(const Key& key, std::int64_t due_ms) {
    Drop(key);
    due_.emplace(key, due_ms);
    order_.emplace(due_ms, key);
    Arm();
  }
  void SetNotAfter(const Key& key, std::int64_t due_ms) {
    const auto it = due_.find(key);
    if (it == due_.end() || it->second > due_ms) Set(key, due_ms);
  }
  [[nodiscard]] bool contains(const Key& key) const { return due_.contains(key); }

 private:
  static constexpr std::size_t kPerTurn = 256;

  void Drop(const Key& key) {
    const auto it = due_.find(key);
    if (it == due_.end()) return;
    order_.erase({it->second, key});
    due_.erase(it);
  }
  void Disarm() {
    if (timer_.has_value()) loop_.Cancel(*timer_);
    timer_.reset();
  }
  void Arm() {
    if (order_.empty()) return;
    const std::int64_t first_ms = order_.begin()->first;
    if (timer_.has_value() && armed_ms_ <= first_ms) return;
    Disarm();
    armed_ms_ = first_ms;
    const std::int64_t delay_ms = std::max<std::int64_t>(0, first_ms - loop_.now().mono.ms);
    timer_ = loop_.After(delay_ms, [this] { Turn(); });
  }
  void Turn() {
    timer_.reset();
    const std::int64_t now_ms = loop_.now().mono.ms;
    std::vector<Key> ready;
    while (!order_.empty() && order_.begin()->first <= now_ms && ready.size() < kPerTurn) {
      ready.push_back(order_.begin()->second);
      due_.erase(order_.begin()->second);
      order_.erase(order_.begin());
    }
    for (const Key& key : ready) run_(key);
    Arm();
  }

  ports::Loop& loop_;
  std::function<void(const Key& key)> run_;
  std::map<Key, std::int64_t> due_;
  std::set<std::pair<std::int64_t, Key>> order_;
  std::optional<ports::Loop::TimerId> timer_;
  std::int64_t armed_ms_ = 0;
};

}  // namespace muster::controllers
