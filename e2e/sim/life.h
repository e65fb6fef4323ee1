// One life of the operator: the real controllers and the real core behind the three ports, on
// virtual time. Killed, it leaves nothing but what it sent. A new life starts from nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "controllers/manager.h"
#include "controllers/ports/api.h"
#include "controllers/ports/loop.h"
#include "controllers/ports/telemetry.h"
#include "e2e/sim/prng.h"
#include "e2e/sim/sim_loop.h"
#include "e2e/sim/sim_watch.h"
#include "e2e/sim/wire.h"

namespace muster::e2e {

class Life final : public ports::Api, public ports::Loop, public ports::Telemetry {
 public:
  struct Self {
    std::uint64_t seed = 0;
    std::string holder;
    bool election = false;
    scheduler::Policy policy;
    controllers::CoreObserver observer = {};
    // A planted fault: a kind is heard of no more after its first object that cannot be read.
    bool gives_up = false;
  };
  struct Events {
    std::function<void(const std::string& why)> fatal;  // The process would exit.
    std::function<void(const std::string& line)> error_logged;
    std::function<void(std::string_view counter)> counted;
  };
  // No answer for so long is "no answer".
  static constexpr std::int64_t kClientTimeoutMs = 10'000;

  Life(SimLoop& loop, Wire& wire, Self self, Events events);
  ~Life() override;
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  void Start();
  void LoseConnections();  // Of all watches.
  // The open watch of the kind shows this too; false: there is none.
  [[nodiscard]] bool Show(const std::string& plural, const std::string& frame);
  // Stands still: what comes meanwhile is waiting when it goes on. A process that is stopped finds
  // its clock moved on; in a machine that is paused the clock stood still too, so that a leader
  // still believes in a lease that has passed on.
  enum class Pause : std::uint8_t { kProcess, kMachine };
  void Freeze(std::int64_t ms, Pause pause);
  void JumpWall(std::int64_t ms) { wall_off_ms_ += ms; }
  [[nodiscard]] const controllers::Manager& manager() const { return *manager_; }
  // Bindings that were sent and neither answered nor given up.
  [[nodiscard]] std::int64_t bindings_under_way() const { return bindings_under_way_; }
  // Every log line from now on goes there; for a person who looks at one seed.
  void set_log(std::function<void(const std::string& line)> log) { log_ = std::move(log); }

  void Call(ports::Request request, Done done) override;
  void ListAndWatch(ports::Resource resource, Decode decode, Sink sink) override;
  void AllowWritesUntil(Ticks until) override { writes_until_ = until; }

  void Post(Task task) override { (void)After(0, std::move(task)); }
  TimerId After(std::int64_t delay_ms, Task task) override;
  void Cancel(TimerId timer) override;
  [[nodiscard]] Now now() const override {
    Now now = loop_.now();
    now.mono.ms -= behind_ms_;
    now.wall.ms += wall_off_ms_;
    return now;
  }
  [[nodiscard]] std::uint64_t Random() override { return prng_.Next(); }

  void Log(ports::Level level, std::string_view message, Fields fields) override;
  void Count(std::string_view counter, std::int64_t by, Labels labels) override;
  void Gauge(std::string_view gauge, std::int64_t value, Labels labels) override;
  void Observe(std::string_view histogram, std::int64_t value, Labels labels) override;
  void Forget(Labels /*object*/) override {}
  [[nodiscard]] std::int64_t Micros() const override { return 0; }

 private:
  // No number of ours is below 0: one that is was counted wrong.
  void CheckNumber(std::string_view name, std::int64_t value) const;
  // Everything that runs in this life passes here.
  void Enter(Task task);
  void Thaw();
  void Fire(std::uint32_t id);

  SimLoop& loop_;
  Wire& wire_;
  Prng prng_;
  Events events_;
  std::function<void(const std::string& line)> log_;
  const bool gives_up_;
  std::uint32_t last_timer_ = 0;
  struct Timer {
    SimLoop::Ticket ticket;
    std::int64_t due_ms = 0;  // By the clock of this life.
    Task task;
  };
  std::map<std::uint32_t, Timer> timers_;
  std::map<std::string, std::unique_ptr<SimWatch>> watches_;  // By the plural.
  std::optional<Ticks> writes_until_;
  std::int64_t wall_off_ms_ = 0;
  std::int64_t behind_ms_ = 0;  // What its machine was paused for.
  std::int64_t bindings_under_way_ = 0;
  bool frozen_ = false;
  std::deque<Task> waiting_;  // While it is frozen.
  // What is still on its way to this life looks here first, and finds nothing after the end.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::unique_ptr<controllers::Manager> manager_;
};

}  // namespace muster::e2e
