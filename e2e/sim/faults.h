// The weather of one simulated run: how likely each fault is, per thousand. A swarm run switches
// each fault off half of the time and else draws how often it comes, so that every run has its own
// weather (Groce et al., "Swarm testing", 2012).
#pragma once

#include <cstdint>

#include "e2e/sim/prng.h"

namespace muster::e2e {

struct Faults {
  std::int64_t lost_answer = 0;   // Of a request: it takes effect, nobody hears.
  std::int64_t lost_request = 0;  // Of a request: it never arrives.
  std::int64_t late_request = 0;  // Of a write: it takes effect up to 60 s after it was sent.
  std::int64_t late_answer = 0;   // Of a request: answered up to 20 s after it took effect.
  std::int64_t watch_drop = 0;    // Of a frame: the stream ends instead.
  std::int64_t compact = 0;       // Of a second: the watch history is forgotten (410).
  std::int64_t kill = 0;          // Of anything on the wire: the operator is killed right then.
  std::int64_t freeze = 0;  // Of a page or Binding: the operator stands still before it goes out.
  std::int64_t lease_deleted = 0;  // Of a second: the Lease is deleted by hand.
  std::int64_t wall_jump = 0;  // Of a second: the wall clock of an operator jumps by up to an hour.
  std::int64_t node_deleted = 0;  // Of a second: a node goes, and comes back 5 to 40 s later.
  std::int64_t node_cordon = 0;   // Of a second: a node is cordoned for 5 to 40 s.
  std::int64_t pod_deleted = 0;   // Of a second: a pod is deleted; its owner makes it again.
  // Of a second: a kubelet does nothing for 20 to 120 s. After 50 s its node is unreachable.
  std::int64_t kubelet_stopped = 0;
};

[[nodiscard]] inline Faults Swarm(Prng& prng) {
  const auto draw = [&prng](std::int64_t highest) -> std::int64_t {
    return prng.Chance(500) ? 0 : prng.Between(1, highest);
  };
  Faults faults;
  faults.lost_answer = draw(150);
  faults.lost_request = draw(100);
  faults.late_request = draw(250);
  faults.late_answer = draw(100);
  faults.watch_drop = draw(50);
  faults.compact = draw(100);
  faults.kill = draw(8);
  faults.node_deleted = draw(40);
  faults.node_cordon = draw(40);
  faults.pod_deleted = draw(80);
  faults.freeze = draw(40);
  faults.lease_deleted = draw(20);
  faults.wall_jump = draw(20);
  faults.kubelet_stopped = draw(15);
  return faults;
}

}  // namespace muster::e2e
