// The one way out: every request but lists and watches passes here. Four lanes with strict
// priority and a bound in flight of their own: the Lease before all, while a Binding or a page
// waits no removal starts, while a removal waits no status does. A lane from which nothing more can
// be sent, and that has had no answer for half a second, holds nobody up: what hangs there would
// not come sooner. It repeats requests of the status lane only; the others ask what an unknown
// outcome was before they send again. Loop thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "controllers/ports/api.h"
#include "controllers/ports/loop.h"

namespace muster::controllers {

struct WriterOptions {
  std::int32_t lease_in_flight = 2;  // One that hangs does not hold up the next.
  std::int32_t bind_in_flight = 32;
  std::int32_t removal_in_flight = 8;
  std::int32_t status_in_flight = 4;
};

class Writer {
 public:
  using Done = ports::Api::Done;

  Writer(ports::Api& api, ports::Loop& loop, WriterOptions options);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Sends when the lane has room. kStatus: sent again after 429, 5xx or no answer, at most 4 times
  // with backoff; a conflict or a refusal is the caller's.
  void Submit(ports::Request request, Done done);
  // The request is made when its turn comes, perhaps within this call, in the state of then.
  // nullopt: there is nothing to send any more, and `done` never runs; only then may `make` have
  // submitted something itself.
  using Make = std::function<std::optional<ports::Request>()>;
  void SubmitLate(ports::Lane lane, Make make, Done done);
  // Ahead of what waits in its lane: a page goes before the Bindings of the wave before it.
  void SubmitFirst(ports::Request request, Done done);
  // Bindings (or pages, or removals) wait or are under way, and do not hang: status writes hold
  // back.
  [[nodiscard]] bool bindings_waiting() const;
  // Told each time that the answer to bindings_waiting changes.
  void OnBusy(std::function<void(bool waiting)> busy) { busy_ = std::move(busy); }
  // Drops what waits and sends nothing more but the Lease's; answers under way are dropped too.
  void Stop();

 private:
  struct Job {
    ports::Request request;
    Make make;  // Empty: `request` is it.
    Done done;
    std::int32_t attempt = 0;
  };
  struct LaneState {
    std::deque<Job> waiting;
    std::int32_t in_flight = 0;
    std::int32_t bound = 0;
    std::int64_t moved_ms = 0;  // Monotonic: when something was sent or answered.

    [[nodiscard]] bool has_room() const { return in_flight < bound; }
    // When it hangs, unless it moves: nothing more can be sent, and no answer comes. nullopt: it
    // has something to send, or waits for no answer.
    [[nodiscard]] std::optional<std::int64_t> hangs_at_ms() const;
  };

  [[nodiscard]] LaneState& Of(ports::Lane lane) {
    return lanes_.at(static_cast<std::size_t>(lane));
  }
  [[nodiscard]] const LaneState& Of(ports::Lane lane) const {
    return lanes_.at(static_cast<std::size_t>(lane));
  }
  void Pump();
  void NoteBusy();
  void WatchHanging();
  [[nodiscard]] LaneState* NextLane();
  void Send(LaneState& lane, Job job);
  void Answered(LaneState& lane, Job job, Result<ports::Response> answer);

  ports::Api& api_;
  ports::Loop& loop_;
  std::array<LaneState, ports::kLanes> lanes_;  // By ports::Lane.
  std::function<void(bool)> busy_;
  bool was_busy_ = false;
  bool watching_ = false;  // A timer looks when a lane begins to hang.
  bool stopped_ = false;
};

}  // namespace muster::controllers
