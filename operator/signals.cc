#include "operator/signals.h"

#include <cstdlib>
#include <utility>

namespace muster::app {

Signals::Signals(std::function<void()> on_first, std::chrono::milliseconds patience) {
  (void)::sigemptyset(&set_);
  (void)::sigaddset(&set_, SIGTERM);
  (void)::sigaddset(&set_, SIGINT);
  (void)::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  thread_ = std::thread([this, patience, run = std::move(on_first)] { Take(run, patience); });
}

// sigwait takes them whatever thread they were sent to.
void Signals::Take(const std::function<void()>& on_first,
                   std::chrono::milliseconds patience) const {
  std::chrono::steady_clock::time_point first;
  int signal = 0;
  for (int count = 1;; ++count) {
    (void)::sigwait(&set_, &signal);
    if (ended_) return;
    if (count == 1) {
      first = std::chrono::steady_clock::now();
      on_first();
    } else if (count > 2 || std::chrono::steady_clock::now() >= first + patience) {
      std::_Exit(1);
    }
  }
}

Signals::~Signals() {
  ended_ = true;
  (void)::pthread_kill(thread_.native_handle(), SIGINT);  // Only wakes the thread.
  thread_.join();
}

}  // namespace muster::app
