#include "operator/thread_loop.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <utility>

#include "scheduler/base/check.h"

// Clang proves at compile time that what is guarded is touched under its lock; g++ knows none of
// these attributes.
#if defined(__clang__)
#define MUSTER_THREAD_SAFETY(x) __attribute__((x))
#else
#define MUSTER_THREAD_SAFETY(x)
#endif
#define MUSTER_GUARDED_BY(lock) MUSTER_THREAD_SAFETY(guarded_by(lock))

namespace muster::app {
namespace {

using Clock = std::chrono::steady_clock;

class MUSTER_THREAD_SAFETY(capability("mutex")) Mutex {
 public:
  void Lock() MUSTER_THREAD_SAFETY(acquire_capability()) { mutex_.lock(); }
  void Unlock() MUSTER_THREAD_SAFETY(release_capability()) { mutex_.unlock(); }
  // Gives the lock up while it waits; the caller holds it before and after.
  void Wait(std::condition_variable& signal) MUSTER_THREAD_SAFETY(requires_capability(this)) {
    std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
    signal.wait(lock);
    (void)lock.release();
  }
  void WaitUntil(std::condition_variable& signal, Clock::time_point deadline)
      MUSTER_THREAD_SAFETY(requires_capability(this)) {
    std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
    (void)signal.wait_until(lock, deadline);
    (void)lock.release();
  }

 private:
  std::mutex mutex_;
};

class MUSTER_THREAD_SAFETY(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) MUSTER_THREAD_SAFETY(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexLock() MUSTER_THREAD_SAFETY(release_capability()) { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace

struct ThreadLoop::State {
  explicit State(std::size_t capacity) : watch_capacity(capacity) {}

  const std::size_t watch_capacity;
  Mutex mutex;
  std::condition_variable work;  // Something to run, or stopped.
  std::condition_variable room;  // Watch events were taken off, or stopped.
  std::deque<Task> queue MUSTER_GUARDED_BY(mutex);
  std::size_t watch_events MUSTER_GUARDED_BY(mutex) = 0;  // How many of them `queue` holds.
  std::atomic<bool> stopped = false;  // Written under the lock, so that no waiter misses it.

  // The loop's own: no lock.
  std::map<std::pair<Clock::time_point, std::uint32_t>, Task> timers;  // Equal times: first set.
  std::map<std::uint32_t, Clock::time_point> due;                      // Of each timer's id.
  std::uint32_t last_timer = 0;
  std::mt19937_64 random{std::random_device{}()};

  void RunDueTimers();
  std::deque<Task> Take();
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
  const MutexLock lock(mutex);
  const bool timed = !timers.empty();
  const Clock::time_point wake = timed ? timers.begin()->first.first : Clock::time_point::max();
  while (queue.empty() && !stopped && (!timed || Clock::now() < wake)) {
    if (timed) {
      mutex.WaitUntil(work, wake);
    } else {
      mutex.Wait(work);
    }
  }
  taken.swap(queue);
  watch_events = 0;
  room.notify_all();
  return taken;
}

ThreadLoop::ThreadLoop(std::size_t watch_capacity)
    : state_(std::make_unique<State>(watch_capacity)) {
  MUSTER_CHECK(watch_capacity > 0);
}

ThreadLoop::~ThreadLoop() = default;

void ThreadLoop::Post(Task task) {
  MUSTER_CHECK(task != nullptr);
  const MutexLock lock(state_->mutex);
  if (state_->stopped) return;
  state_->queue.push_back(std::move(task));
  state_->work.notify_one();
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
      .mono = {duration_cast<milliseconds>(Clock::now().time_since_epoch()).count()},
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
  const MutexLock lock(state.mutex);
  while (!state.stopped && state.watch_events > 0 &&
         state.watch_events + events > state.watch_capacity) {
    state.mutex.Wait(state.room);
  }
  if (state.stopped) return false;
  state.watch_events += events;
  state.queue.push_back(std::move(task));
  state.work.notify_one();
  return true;
}

void ThreadLoop::Run() {
  while (!state_->stopped) {
    state_->RunDueTimers();
    std::deque<Task> tasks = state_->Take();
    for (Task& task : tasks) {
      if (state_->stopped) return;
      task();
    }
  }
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
  const MutexLock lock(state_->mutex);
  if (state_->closed) return;
  state_->jobs.push_back(std::move(job));
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
