// One life of the operator: the real controllers and the real core behind the three ports, on
// virtual time. Killed, it leaves nothing but what it sent. A new life starts from nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
    scheduler::Policy policy;
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
  [[nodiscard]] const controllers::Manager& manager() const { return *manager_; }
  // Every log line from now on goes there; for a person who looks at one seed.
  void set_log(std::function<void(const std::string& line)> log) { log_ = std::move(log); }

  void Call(ports::Request request, Done done) override;
  void ListAndWatch(ports::Resource resource, Decode decode, Sink sink) override;

  void Post(Task task) override { (void)After(0, std::move(task)); }
  TimerId After(std::int64_t delay_ms, Task task) override;
  void Cancel(TimerId timer) override;
  [[nodiscard]] Now now() const override { return loop_.now(); }
  [[nodiscard]] std::uint64_t Random() override { return prng_.Next(); }

  void Log(ports::Level level, std::string_view message, Fields fields) override;
  void Count(std::string_view counter, std::int64_t by) override;
  [[nodiscard]] std::int64_t Micros() const override { return 0; }

 private:
  SimLoop& loop_;
  Wire& wire_;
  Prng prng_;
  Events events_;
  std::function<void(const std::string& line)> log_;
  std::uint32_t last_timer_ = 0;
  std::map<std::uint32_t, SimLoop::Ticket> timers_;
  std::vector<std::unique_ptr<SimWatch>> watches_;
  // What is still on its way to this life looks here first, and finds nothing after the end.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::unique_ptr<controllers::Manager> manager_;
};

}  // namespace muster::e2e
