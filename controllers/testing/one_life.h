// Loop, API and Manager of one life: once `alive` is false, what that life still waits for (its
// timers, its answers, its watches) is dropped. What it has sent goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "controllers/manager.h"
#include "controllers/testing/fake_api.h"
#include "controllers/testing/manual_loop.h"

namespace muster::controllers::testing {

class LifeLoop final : public ports::Loop {
 public:
  LifeLoop(ManualLoop& loop, std::shared_ptr<bool> alive) : loop_(loop), alive_(std::move(alive)) {}

  void Post(Task task) override { loop_.Post(Guard(std::move(task))); }
  TimerId After(std::int64_t delay_ms, Task task) override {
    return loop_.After(delay_ms, Guard(std::move(task)));
  }
  void Cancel(TimerId timer) override { loop_.Cancel(timer); }
  [[nodiscard]] Now now() const override { return loop_.now(); }
  [[nodiscard]] std::uint64_t Random() override { return loop_.Random(); }

 private:
  [[nodiscard]] Task Guard(Task task) const {
    return [alive = alive_, task = std::move(task)] {
      if (*alive) task();
    };
  }

  ManualLoop& loop_;
  std::shared_ptr<bool> alive_;
};

class LifeApi final : public ports::Api {
 public:
  LifeApi(FakeApi& api, std::shared_ptr<bool> alive) : api_(api), alive_(std::move(alive)) {}

  void Call(ports::Request request, Done done) override {
    api_.Call(std::move(request),
              [alive = alive_, done = std::move(done)](Result<ports::Response> answer) {
                if (*alive) done(std::move(answer));
              });
  }
  void AllowWritesUntil(Ticks until) override { api_.AllowWritesUntil(until); }
  void ListAndWatch(ports::Resource resource, Decode decode, Sink sink) override {
    api_.ListAndWatch(std::move(resource), std::move(decode),
                      [alive = alive_, sink = std::move(sink)](ports::WatchEvent event) {
                        if (*alive) sink(std::move(event));
                      });
  }

 private:
  FakeApi& api_;
  std::shared_ptr<bool> alive_;
};

// A Manager between a loop and an API of its own kind; what is still under way when it
// ends finds nothing.
template <class LifesApi>
struct OneLife {
  template <class Outside>
  OneLife(ManualLoop& outer, Outside& outside, ports::Telemetry& telemetry, ManagerOptions options,
          Manager::Fatal fatal)
      : loop(outer, alive),
        api(outside, alive),
        manager({.api = api, .loop = loop, .telemetry = telemetry}, std::move(options),
                std::move(fatal)) {}
  ~OneLife() { *alive = false; }
  OneLife(const OneLife&) = delete;
  OneLife& operator=(const OneLife&) = delete;

  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
  LifeLoop loop;
  LifesApi api;
  Manager manager;
};

}  // namespace muster::controllers::testing
