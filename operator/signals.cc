#include "operator/signals.h"

#include <csignal>
#include <cstdlib>
#include <utility>

namespace muster::app {

Signals::Signals(std::function<void()> on_first) {
  sigset_t set{};
  (void)::sigemptyset(&set);
  (void)::sigaddset(&set, SIGTERM);
  (void)::sigaddset(&set, SIGINT);
  (void)::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // sigwait takes them off one by one, whatever thread they were sent to.
  thread_ = std::thread([this, set, run = std::move(on_first)] {
    int signal = 0;
    for (bool first = true;; first = false) {
      (void)::sigwait(&set, &signal);
      if (ended_) return;
      if (!first) std::_Exit(128 + signal);  // As a shell tells of a process that a signal ended.
      run();
    }
  });
}

Signals::~Signals() {
  ended_ = true;
  (void)::pthread_kill(thread_.native_handle(), SIGINT);  // Only wakes the thread.
  thread_.join();
}

}  // namespace muster::app
