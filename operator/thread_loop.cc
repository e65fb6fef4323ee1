#include "operator/thread_loop.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <random>
#include <utility>

#include "operator/boot_clock.h"
#include "operator/thread_loop_mutex.h"
#include "scheduler/base/check.h"

namespace muster::app {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

struct ThreadLoop::State {
  State(std::size_t capacity, std::chrono::milliseconds rest_for)
      : watch_capacity(capacity), rest(rest_for) {}

  const std::size_t watch_capacity;
  const std::chrono::milliseconds rest;
  Mutex mutex;
  std::condition_variable work;  // Something to run, or stopped.
  std::condition_variable room;  // Watch events were taken off, or stopped.
  std::deque<Task> queue MUSTER_GUARDED_BY(mutex);
  std::size_t watch_events MUSTER_GUARDED_BY(mutex) = 0;  // How many of them `queue` holds.
  bool asleep MUSTER_GUARDED_BY(mutex) = false;           // Waits for work, and nobody has told it.
  std::atomic<bool> stopped = false;  // Written under the lock, so that no waiter misses it.

  // The loop's own: no lock.
  std::map<std::pair<Clock::time_point, std::uint32_t>, Task> timers;  // Equal times: first set.
  std::map<std::uint32_t, Clock::time_point> due;                      // Of each timer's id.
  std::uint32_t last_timer = 0;
  Clock::time_point taken_at = Clock::time_point::min();  // The last tasks.
  std::mt19937_64 random{std::random_device{}()};

  void RunDueTimers();
  std::deque<Task> Take();
  void Sleep(Clock::time_point wake) MUSTER_THREAD_SAFETY(requires_capability(mutex));
  [[nodiscard]] bool Add(Task task) MUSTER_THREAD_SAFETY(requires_capability(mutex));
};

// Only what is due now: a timer that sets another one does not starve the queue.
void ThreadLoop::State::RunDueTimers() {
  const Clock::time_point now = Clock::now();
  while (!stopped && !timers.empty() && timers.begin()->first.first <= now) {
    auto first = timers.extract(timers.begin());
    due.erase(first.key().second);
    first.mapped()();
  }
}

// Waits for tasks or the next timer and takes all that is queued: one drain.
std::deque<ThreadLoop::Task> ThreadLoop::State::Take() {
  std::deque<Task> taken;
  const Clock::time_point wake =
      timers.empty() ? Clock::time_point::max() : timers.begin()->first.first;
  const MutexLock lock(mutex);
  if (queue.empty()) Sleep(wake);
  taken.swap(queue);
  watch_events = 0;
  room.notify_all();
  taken_at = Clock::now();
  return taken;
}

// First the rest, in which tasks wait but nothing wakes it, then until there is a task.
void ThreadLoop::State::Sleep(Clock::time_point wake) {
  const Clock::time_point rested = std::min(taken_at + rest, wake);
  while (!stopped && Clock::now() < rested) mutex.WaitUntil(work, rested);
  while (queue.empty() && !stopped && Clock::now() < wake) {
    asleep = true;
    if (wake == Clock::time_point::max()) {
      mutex.Wait(work);
    } else {
      mutex.WaitUntil(work, wake);
    }
  }
  asleep = false;
}

// True: the loop sleeps and the caller wakes it, when it no longer holds the lock that the loop
// would wait for next.
bool ThreadLoop::State::Add(Task task) {
  queue.push_back(std::move(task));
  return std::exchange(asleep, false);
}

ThreadLoop::ThreadLoop(std::size_t watch_capacity, std::int64_t rest_ms)
    : state_(std::make_unique<State>(watch_capacity, std::chrono::milliseconds(rest_ms))) {
  MUSTER_CHECK(watch_capacity > 0);
}

ThreadLoop::~ThreadLoop() = default;

void ThreadLoop::Post(Task task) {
  MUSTER_CHECK(task != nullptr);
  bool wake = false;
  {
    const MutexLock lock(state_->mutex);
    wake = !state_->stopped && state_->Add(std::move(task));
  }
  if (wake) state_->work.notify_one();
}

ports::Loop::TimerId ThreadLoop::After(std::int64_t delay_ms, Task task) {
  MUSTER_CHECK(delay_ms >= 0);
  MUSTER_CHECK(task != nullptr);
  const std::uint32_t id = ++state_->last_timer;
  const Clock::time_point when = Clock::now() + std::chrono::milliseconds(delay_ms);
  state_->due.emplace(id, when);
  state_->timers.emplace(std::pair(when, id), std::move(task));
  return TimerId{id};
}

void ThreadLoop::Cancel(TimerId timer) {
  const auto found = state_->due.find(timer.value);
  if (found == state_->due.end()) return;
  state_->timers.erase(std::pair(found->second, found->first));
  state_->due.erase(found);
}

Now ThreadLoop::now() const {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  return {
      .mono = {BootMs()},
      .wall = {duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch())
                   .count()},
  };
}

std::uint64_t ThreadLoop::Random() {
  return state_->random();
}

bool ThreadLoop::PostWatch(std::size_t events, Task task) {
  MUSTER_CHECK(task != nullptr);
  State& state = *state_;
  bool wake = false;
  {
    const MutexLock lock(state.mutex);
    while (!state.stopped && state.watch_events > 0 &&
           state.watch_events + events > state.watch_capacity) {
      state.mutex.Wait(state.room);
    }
    if (state.stopped) return false;
    state.watch_events += events;
    wake = state.Add(std::move(task));
  }
  if (wake) state.work.notify_one();
  return true;
}

void ThreadLoop::Run() {
  while (!state_->stopped) {
    state_->RunDueTimers();
    std::deque<Task> tasks = state_->Take();
    for (Task& task : tasks) {
      if (state_->stopped) break;
      task();
    }
  }
  (void)state_->Take();  // By its end, who waits for a task hears that it will not run.
}

void ThreadLoop::Stop() {
  const MutexLock lock(state_->mutex);
  state_->stopped = true;
  state_->work.notify_all();
  state_->room.notify_all();
}

struct StopFlag::State {
  Mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> set = false;
};

StopFlag::StopFlag() : state_(std::make_unique<State>()) {}

StopFlag::~StopFlag() = default;

void StopFlag::Set() {
  const MutexLock lock(state_->mutex);
  state_->set = true;
  state_->changed.notify_all();
}

bool StopFlag::IsSet() const {
  return state_->set;
}

bool StopFlag::WaitFor(std::int64_t ms) const {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(ms);
  const MutexLock lock(state_->mutex);
  while (!state_->set && Clock::now() < deadline) {
    state_->mutex.WaitUntil(state_->changed, deadline);
  }
  return state_->set;
}

IoThread::IoThread(std::function<void(const StopFlag&)> body, std::function<void()> interrupt)
    : interrupt_(std::move(interrupt)), thread_([this, run = std::move(body)] {
        run(stop_);
        done_.Set();
      }) {}

IoThread::~IoThread() {
  RequestStop();
  Join();
}

void IoThread::RequestStop() {
  stop_.Set();
  interrupt_();
}

void IoThread::Join() {
  constexpr std::int64_t kRepeatMs = 5;
  if (!thread_.joinable()) return;
  while (!done_.WaitFor(kRepeatMs)) interrupt_();
  thread_.join();
}

struct CallQueue::State {
  Mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs MUSTER_GUARDED_BY(mutex);
  bool closed MUSTER_GUARDED_BY(mutex) = false;
};

CallQueue::CallQueue() : state_(std::make_unique<State>()) {}

CallQueue::~CallQueue() = default;

void CallQueue::Push(Job job) {
  {
    const MutexLock lock(state_->mutex);
    if (state_->closed) return;
    state_->jobs.push_back(std::move(job));
  }
  state_->changed.notify_one();
}

std::optional<CallQueue::Job> CallQueue::Pop() {
  const MutexLock lock(state_->mutex);
  while (state_->jobs.empty() && !state_->closed) state_->mutex.Wait(state_->changed);
  if (state_->closed) return std::nullopt;
  Job job = std::move(state_->jobs.front());
  state_->jobs.pop_front();
  return job;
}

void CallQueue::Close() {
  const MutexLock lock(state_->mutex);
  state_->closed = true;
  state_->changed.notify_all();
}

}  // namespace muster::app
