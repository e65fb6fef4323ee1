// Child processes of the drivers and suites. A child never outlives this process: the kernel kills
// it when the thread that started it ends. Signals go to our own children only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "scheduler/base/result.h"

namespace muster::e2e {

struct Command {
  std::vector<std::string> argv;
  std::vector<std::string> env;  // "NAME=value", on top of our own.
  std::string cwd;               // "" = ours.
};

class Child {
 public:
  // Standard output and error go to the end of `log`.
  [[nodiscard]] static Result<Child> Start(const Command& command, const std::string& log);

  Child() = default;
  ~Child();  // SIGKILL, and waits.
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Not started, or known to have ended.
  [[nodiscard]] bool ended();
  // By a signal such as SIGSTOP; SIGCONT lets it go on.
  [[nodiscard]] bool stopped() const;
  void Signal(int signal) const;
  // False: it still runs after `patience_ms`.
  [[nodiscard]] bool WaitEnd(std::int64_t patience_ms);
  // SIGTERM, and SIGKILL if that does not end it within `patience_ms`.
  void Stop(std::int64_t patience_ms);

 private:
  pid_t pid_ = 0;  // 0 = none.
};

struct Output {
  int code = -1;     // 128 + n for a signal.
  std::string text;  // Standard output and error, in the order written.
};
// Runs it to its end; past `patience_ms` it is killed.
[[nodiscard]] Output RunCommand(const Command& command, std::int64_t patience_ms);

// The last lines of a file.
[[nodiscard]] std::vector<std::string> Tail(const std::string& file, std::size_t lines);
[[nodiscard]] std::int64_t SteadyMs();
void SleepMs(std::int64_t ms);

// Looks again and again; false: it still does not hold after `patience_ms`.
template <class Condition>
[[nodiscard]] bool WaitFor(std::int64_t patience_ms, const Condition& holds) {
  const std::int64_t until = SteadyMs() + patience_ms;
  while (!holds()) {
    if (SteadyMs() >= until) return false;
    SleepMs(10);
  }
  return true;
}

}  // namespace muster::e2e
