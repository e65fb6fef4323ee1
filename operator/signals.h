// SIGTERM and SIGINT as a call, on a thread of its own: nothing runs in a signal handler.
//
// The first asks for an orderly end, which takes a bounded time. Many send two at once (a terminal
// to the whole process group, and then the parent), so within that time the second changes nothing:
// it would leave the Lease held. The third, or one that comes later, ends the process at once with
// exit code 1, as the second does in kube-scheduler.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace muster::app {

class Signals {
 public:
  // Blocks the signals for this thread and for every thread made after it: make this the first.
  // `on_first` runs on the thread of this object. `patience`: how long the orderly end may take.
  Signals(std::function<void()> on_first, std::chrono::milliseconds patience);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  // Takes them one by one, until the destructor.
  void Take(const std::function<void()>& on_first, std::chrono::milliseconds patience) const;

  sigset_t set_{};
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace muster::app
