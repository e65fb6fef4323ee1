// SIGTERM and SIGINT as a call, on a thread of its own: nothing runs in a signal handler.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace muster::app {

class Signals {
 public:
  // Blocks the signals for this thread and for every thread made after it: make this the first.
  // `on_first` runs on the thread of this object; a second signal ends the process at once, for a
  // stop that hangs.
  explicit Signals(std::function<void()> on_first);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace muster::app
