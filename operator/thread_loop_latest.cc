#include "operator/thread_loop_latest.h"

#include <chrono>

#include "operator/thread_loop_mutex.h"

namespace muster::app {

struct LatestAny::State {
  Mutex lock;
  std::condition_variable changed;
  std::shared_ptr<const void> value MUSTER_GUARDED_BY(lock);
  std::uint64_t asked MUSTER_GUARDED_BY(lock) = 0;     // Questions so far.
  std::uint64_t answered MUSTER_GUARDED_BY(lock) = 0;  // Of them, by renewals that have ended.
  bool closed MUSTER_GUARDED_BY(lock) = false;
};

LatestAny::LatestAny(std::shared_ptr<const void> first) : state_(std::make_unique<State>()) {
  const MutexLock held(state_->lock);
  state_->value = std::move(first);
}

LatestAny::~LatestAny() = default;

std::shared_ptr<const void> LatestAny::Get() const {
  const MutexLock held(state_->lock);
  return state_->value;
}

void LatestAny::AskForAnother() {
  const MutexLock held(state_->lock);
  const std::uint64_t mine = ++state_->asked;
  state_->changed.notify_all();
  while (!state_->closed && state_->answered < mine) state_->lock.Wait(state_->changed);
}

std::optional<LatestAny::Turn> LatestAny::WaitForTurn(std::int64_t ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  const MutexLock held(state_->lock);
  while (!state_->closed && state_->answered == state_->asked &&
         std::chrono::steady_clock::now() < end) {
    state_->lock.WaitUntil(state_->changed, end);
  }
  if (state_->closed) return std::nullopt;
  return Turn{.number = state_->asked, .asked = state_->asked != state_->answered};
}

void LatestAny::EndTurn(const Turn& turn, std::shared_ptr<const void> value) {
  const MutexLock held(state_->lock);
  if (value != nullptr) state_->value = std::move(value);
  state_->answered = turn.number;
  state_->changed.notify_all();
}

void LatestAny::Close() {
  const MutexLock held(state_->lock);
  state_->closed = true;
  state_->changed.notify_all();
}

}  // namespace muster::app
