#include "controllers/scheduling_loop.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace muster::controllers {
namespace {

constexpr std::int32_t kDrainMax = 4'096;
// A watch that goes on sends what it missed at once, but nothing says where that ends.
constexpr std::int64_t kCatchUpMs = 1'000;

}  // namespace

void SchedulingLoop::Feed(scheduler::Event event) {
  queue_.push_back(std::move(event));
  Schedule();
}

void SchedulingLoop::Wake() {
  due_ = true;
  Schedule();
}

void SchedulingLoop::SetCurrent(bool current) {
  if (catch_up_) world_.loop.Cancel(*catch_up_);
  catch_up_.reset();
  held_ = true;
  caught_up_ = false;
  if (!current) return;
  catch_up_ = world_.loop.After(kCatchUpMs, [this] {
    catch_up_.reset();
    caught_up_ = true;
    Schedule();
  });
}

void SchedulingLoop::Schedule() {
  if (scheduled_ || stopped_) return;
  scheduled_ = true;
  world_.loop.Post([this] { Tick(); });
}

void SchedulingLoop::Tick() {
  scheduled_ = false;
  if (stopped_) return;
  const std::int64_t before = world_.telemetry.Micros();
  const std::int32_t events = Drain();
  const bool changed = events > 0;
  if (changed) {
    world_.binder.Settle();
    world_.telemetry.Count("events_applied", events);
    world_.telemetry.Observe("event_batch_us", world_.telemetry.Micros() - before, {});
  }
  due_ = due_ || changed;
  if (caught_up_ && queue_.empty()) held_ = false;
  if (synced_ && !held_ && (due_ || more_)) Decide();
  if (!queue_.empty() || (more_ && !held_)) Schedule();
}

std::int32_t SchedulingLoop::Drain() {
  std::int32_t events = 0;
  for (; events < kDrainMax && !queue_.empty(); ++events) {
    const scheduler::Event event = std::move(queue_.front());
    queue_.pop_front();
    world_.core.apply(event);
    world_.binder.Observe(event);
    synced_ = synced_ || std::holds_alternative<scheduler::Synced>(event);
  }
  return events;
}

void SchedulingLoop::Decide() {
  due_ = false;
  const bool full = world_.journal.full();
  scheduler::Budget budget;
  if (full) budget.admits = 0;
  const std::int64_t before = world_.telemetry.Micros();
  const scheduler::Decision decision = world_.core.decide(world_.loop.now(), budget);
  const std::int64_t micros = world_.telemetry.Micros() - before;
  world_.telemetry.Observe("decision_us", micros, {});
  more_ = decision.more && !full;  // With a full journal Wake follows.
  // In this order: what is left of a gang gets an entry and is given up in one decision.
  for (const auto& admit : decision.admits) world_.binder.Admit(admit);
  for (const auto& strand : decision.strands) world_.binder.Strand(strand);
  for (const auto& amend : decision.amends) world_.binder.Amend(amend);
  for (const auto& abandon : decision.abandons) world_.binder.Abandon(abandon);
  if (!std::exchange(started_, true)) world_.binder.StartAdopted();
  SetTimer(decision.wake_at);
  world_.decided(decision, micros);
}

void SchedulingLoop::SetTimer(const std::optional<Ticks>& wake_at) {
  if (timer_) world_.loop.Cancel(*timer_);
  timer_.reset();
  if (!wake_at) return;
  // At least 1 ms: an instant that has passed may not turn the loop into a busy one.
  const std::int64_t wait_ms = std::max<std::int64_t>(1, wake_at->ms - world_.loop.now().mono.ms);
  timer_ = world_.loop.After(wait_ms, [this] {
    timer_.reset();
    Wake();
  });
}

}  // namespace muster::controllers
