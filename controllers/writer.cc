#include "controllers/writer.h"

#include <algorithm>
#include <utility>

namespace muster::controllers {
namespace {

constexpr std::int32_t kAttempts = 4;
constexpr std::int64_t kRetryMs = 250;
// Most answers take a few milliseconds; a time-out takes 5 s.
constexpr std::int64_t kHangsMs = 500;

// Overload, a server error, or no answer at all: the same request may be sent again.
bool MayRepeat(const Result<ports::Response>& answer) {
  return !answer.ok() || answer.value().status == 429 || answer.value().status >= 500;
}

}  // namespace

Writer::Writer(ports::Api& api, ports::Loop& loop, WriterOptions options) : api_(api), loop_(loop) {
  Of(ports::Lane::kLease).bound = options.lease_in_flight;
  Of(ports::Lane::kBind).bound = options.bind_in_flight;
  Of(ports::Lane::kRemoval).bound = options.removal_in_flight;
  Of(ports::Lane::kStatus).bound = options.status_in_flight;
}

void Writer::Submit(ports::Request request, Done done) {
  if (stopped_ && request.lane != ports::Lane::kLease) return;
  LaneState& lane = Of(request.lane);
  lane.waiting.push_back({.request = std::move(request), .make = nullptr, .done = std::move(done)});
  Pump();
}

void Writer::SubmitLate(ports::Lane lane, Make make, Done done) {
  if (stopped_ && lane != ports::Lane::kLease) return;
  Of(lane).waiting.push_back({.request = {}, .make = std::move(make), .done = std::move(done)});
  Pump();
}

void Writer::SubmitFirst(ports::Request request, Done done) {
  if (stopped_) return;
  LaneState& lane = Of(request.lane);
  lane.waiting.push_front(
      {.request = std::move(request), .make = nullptr, .done = std::move(done)});
  Pump();
}

std::optional<std::int64_t> Writer::LaneState::hangs_at_ms() const {
  const bool can_send = !waiting.empty() && has_room();
  if (can_send || in_flight == 0) return std::nullopt;
  return moved_ms + kHangsMs;
}

bool Writer::bindings_waiting() const {
  const std::int64_t now_ms = loop_.now().mono.ms;
  const auto busy = [now_ms](const LaneState& lane) {
    const bool idle = lane.in_flight == 0 && lane.waiting.empty();
    return !idle && now_ms < lane.hangs_at_ms().value_or(now_ms + 1);
  };
  return busy(Of(ports::Lane::kBind)) || busy(Of(ports::Lane::kRemoval));
}

void Writer::Stop() {
  stopped_ = true;
  for (LaneState& lane : lanes_) {
    if (&lane != &Of(ports::Lane::kLease)) lane.waiting.clear();
  }
}

// Strict priority: the highest lane that waits and does not hang is the only one that may send.
Writer::LaneState* Writer::NextLane() {
  const std::int64_t now_ms = loop_.now().mono.ms;
  const auto found = std::ranges::find_if(lanes_, [now_ms](const LaneState& lane) {
    return !lane.waiting.empty() && now_ms < lane.hangs_at_ms().value_or(now_ms + 1);
  });
  return found == lanes_.end() || !found->has_room() ? nullptr : &*found;
}

void Writer::Pump() {
  NoteBusy();
  while (true) {
    LaneState* lane = NextLane();
    if (lane == nullptr) break;
    Job job = std::move(lane->waiting.front());
    lane->waiting.pop_front();
    if (job.make) {
      auto request = job.make();
      if (!request) continue;
      job.request = *std::move(request);
    }
    Send(*lane, std::move(job));
  }
  NoteBusy();  // What waited may have had nothing to send.
  WatchHanging();
}

void Writer::NoteBusy() {
  const bool busy = bindings_waiting();
  if (busy != std::exchange(was_busy_, busy) && busy_) busy_(busy);
}

// Whether a lane hangs changes with time alone.
void Writer::WatchHanging() {
  if (watching_) return;
  const std::int64_t now_ms = loop_.now().mono.ms;
  std::optional<std::int64_t> next_ms;
  for (const LaneState& lane : lanes_) {
    const auto at_ms = lane.hangs_at_ms();
    if (at_ms && *at_ms > now_ms) next_ms = std::min(*at_ms, next_ms.value_or(*at_ms));
  }
  if (!next_ms) return;
  watching_ = true;
  loop_.After(*next_ms - now_ms, [this] {
    watching_ = false;
    if (!stopped_) Pump();
  });
}

void Writer::Send(LaneState& lane, Job job) {
  ++lane.in_flight;
  lane.moved_ms = loop_.now().mono.ms;
  // Only the status lane may have to send again; the others give the request away.
  ports::Request request =
      job.request.lane == ports::Lane::kStatus ? job.request : std::move(job.request);
  api_.Call(std::move(request),
            [this, &lane, job = std::move(job)](Result<ports::Response> answer) mutable {
              Answered(lane, std::move(job), std::move(answer));
            });
}

void Writer::Answered(LaneState& lane, Job job, Result<ports::Response> answer) {
  --lane.in_flight;
  lane.moved_ms = loop_.now().mono.ms;
  if (stopped_ && &lane != &Of(ports::Lane::kLease)) return;
  const bool status = &lane == &Of(ports::Lane::kStatus);
  if (!status || !MayRepeat(answer) || job.attempt + 1 >= kAttempts) {
    job.done(std::move(answer));
    Pump();
    return;
  }
  std::int64_t wait_ms = kRetryMs << job.attempt;
  if (answer.ok()) wait_ms = std::max(wait_ms, answer.value().retry_after_ms.value_or(0));
  wait_ms += static_cast<std::int64_t>(loop_.Random() % static_cast<std::uint64_t>(kRetryMs));
  ++job.attempt;
  loop_.After(wait_ms, [this, &lane, job = std::move(job)]() mutable {
    if (stopped_) return;
    lane.waiting.push_back(std::move(job));
    Pump();
  });
  Pump();
}

}  // namespace muster::controllers
