// ports::Loop on a real thread and real clocks, and the blocking pieces that IO threads are made
// of. All locks of the process are behind this header and thread_loop_latest.h: whoever uses them
// shares nothing but what it posts or publishes there. One sequence: watch events and completions
// run in the order in which they were posted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "controllers/ports/loop.h"

namespace muster::app {

class HttpConnection;

class ThreadLoop final : public ports::Loop {
 public:
  // At most `watch_capacity` watch events wait at any time. A loop that has run out of tasks rests
  // until `rest_ms` after it took the last ones: what comes meanwhile is one batch, and its senders
  // wake nobody. Else every answer of a busy time costs a wake-up, and a Decide of its own.
  explicit ThreadLoop(std::size_t watch_capacity = 4096, std::int64_t rest_ms = 1);
  ~ThreadLoop() override;
  ThreadLoop(const ThreadLoop&) = delete;
  ThreadLoop& operator=(const ThreadLoop&) = delete;

  // Never blocks and never refuses: the callers (completions, questions of servers) are bounded by
  // what they have in flight, which is the slot that each of them holds. Dropped after Stop.
  void Post(Task task) override;
  TimerId After(std::int64_t delay_ms, Task task) override;
  void Cancel(TimerId timer) override;
  [[nodiscard]] Now now() const override;
  [[nodiscard]] std::uint64_t Random() override;

  // For watch threads: blocks while the queue has no room for `events` more (a batch larger than
  // the queue waits until no other waits). False: the loop was stopped, the task is dropped.
  [[nodiscard]] bool PostWatch(std::size_t events, Task task);

  void Run();   // Until Stop, on the calling thread: that is "the loop".
  void Stop();  // From any thread. Releases every caller of PostWatch.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Set once, waited for by sleepers. From any thread.
class StopFlag {
 public:
  StopFlag();
  ~StopFlag();
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;

  void Set();
  [[nodiscard]] bool IsSet() const;
  // Sleeps; true if the flag was set before or meanwhile.
  [[nodiscard]] bool WaitFor(std::int64_t ms) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A thread that blocks in calls which an interrupt ends. An interrupt can come too early to be
// noticed (between the check of the flag and the call), so Join repeats it until the thread ends.
class IoThread {
 public:
  IoThread(std::function<void(const StopFlag&)> body, std::function<void()> interrupt);
  ~IoThread();  // RequestStop and Join.
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  void EndSoon() { stop_.Set(); }  // When its present call comes back: nothing is interrupted.
  void RequestStop();              // Does not wait: stop many first, then join each.
  void Join();

 private:
  StopFlag stop_, done_;
  std::function<void()> interrupt_;
  std::thread thread_;
};

// Calls that wait for a connection; each worker thread owns one.
class CallQueue {
 public:
  using Job = std::function<void(HttpConnection&)>;

  CallQueue();
  ~CallQueue();
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;

  void Push(Job job);
  [[nodiscard]] std::optional<Job> Pop();  // Blocks; nullopt after Close, whatever still waits.
  void Close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::app
