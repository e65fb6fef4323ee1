// The beat of the controllers: takes what came in, lets the core decide once, hands the decision
// out. Facts and answers reach the core in the order in which they were fed. Loop thread only.
//
//   Feed --> queue --(up to 4,096)--> core.apply, binder.Observe --> core.decide --> admits,
//   strands, amends, abandons to the binder; changed gangs and queues to `decided`; a timer for
//   wake_at
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "controllers/binder.h"
#include "controllers/journal.h"
#include "controllers/ports/loop.h"
#include "controllers/ports/telemetry.h"
#include "scheduler/model/event.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers {

class SchedulingLoop {
 public:
  struct Core {
    std::function<void(const scheduler::Event&)> apply;
    std::function<scheduler::Decision(Now, scheduler::Budget)> decide;
  };
  struct World {
    ports::Loop& loop;
    ports::Telemetry& telemetry;
    Core core;
    Journal& journal;
    Binder& binder;
    // After each Decide, with the microseconds that it took.
    std::function<void(const scheduler::Decision& decision, std::int64_t micros)> decided;
  };

  explicit SchedulingLoop(World world) : world_(std::move(world)) {}
  SchedulingLoop(const SchedulingLoop&) = delete;
  SchedulingLoop& operator=(const SchedulingLoop&) = delete;

  void Feed(scheduler::Event event);
  // Decide again although nothing came in: the journal has room again.
  void Wake();
  // False: what was fed may be old, so nothing is decided. True: the streams go on; decided again
  // when what they missed has had the time to come, and has been applied.
  void SetCurrent(bool current);
  void Stop() { stopped_ = true; }

  [[nodiscard]] bool started() const { return started_; }  // The first Decide has run.

 private:
  void Schedule();
  void Tick();
  [[nodiscard]] std::int32_t Drain();  // How many events it took.
  void Decide();
  void SetTimer(const std::optional<Ticks>& wake_at);

  World world_;
  std::deque<scheduler::Event> queue_;
  std::optional<ports::Loop::TimerId> timer_;
  bool scheduled_ = false;
  bool synced_ = false;  // Synced was applied.
  bool started_ = false;
  bool due_ = false;   // Something came in, time passed, or the journal has room.
  bool held_ = false;  // Not current, or not long enough, or not applied yet.
  bool caught_up_ = true;
  std::optional<ports::Loop::TimerId> catch_up_;
  bool more_ = false;  // The budget ended the Decide before.
  bool stopped_ = false;
};

}  // namespace muster::controllers
