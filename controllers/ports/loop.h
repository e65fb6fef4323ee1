// The one thread that owns all state, as the controllers see it. Nothing here blocks. Watch events
// and completions reach it through one queue, so their order is one sequence; a completion has its
// slot reserved when the request is made, so a full queue stalls watch threads only.
#pragma once

#include <cstdint>
#include <functional>

#include "scheduler/base/ids.h"

namespace muster::ports {

class Loop {
 public:
  using Task = std::function<void()>;
  using TimerId = StrongId<struct TimerTag>;

  virtual ~Loop() = default;
  virtual void Post(Task task) = 0;  // Runs after what is queued now. From any thread.
  // Runs `task` once, not before `delay_ms` (>= 0) have passed. From the loop only.
  virtual TimerId After(std::int64_t delay_ms, Task task) = 0;
  virtual void Cancel(TimerId timer) = 0;  // A timer that ran or was cancelled is no error.
  [[nodiscard]] virtual Now now() const = 0;
  // Uniform 64 bits: jitter of retries, names of events. Never an input of scheduler/.
  [[nodiscard]] virtual std::uint64_t Random() = 0;
};

}  // namespace muster::ports
