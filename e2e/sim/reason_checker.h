// Invariant 5: every PodGroup that waits carries a reason that is true now. Its numbers are counted
// anew by brute force whenever something changes; each has to lie within what was true in the time
// that the status may be behind (a text is read again 5 s after a change, written 5 s after the
// last write, 5 s later while Bindings go out). In a quiet world that is one value.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "e2e/sim/pod_change.h"
#include "e2e/sim/reason_text.h"
#include "e2e/sim/shadow.h"

namespace muster::e2e {

class ReasonChecker {
 public:
  ReasonChecker(const Shadow& shadow, Complain complain)
      : shadow_(shadow), complain_(std::move(complain)) {}

  // From now on nothing is lost on the wire, and no operator is killed. Before it is not checked.
  void SetCalm(std::int64_t now_ms) { calm_ms_ = now_ms; }
  void OnPod(const PodChange& change, std::int64_t now_ms);
  void Note(std::int64_t now_ms);  // Something else changed.
  // Once a second. `leader_since_ms`: since when the present leader
  // leads and follows every kind.
  void Tick(std::int64_t now_ms, std::int64_t leader_since_ms);

  [[nodiscard]] std::int64_t checked() const { return checked_; }

 private:
  // What was true, each from its time until that of the next; the last one is of now.
  struct Fact {
    std::int64_t since_ms = 0;
    Numbers numbers;
  };
  using History = std::deque<Fact>;
  struct Range {
    std::int64_t least = 0, most = 0;
  };
  struct Watched {
    std::int64_t since_ms = 0;
    std::array<History, 2> histories;  // Counted with what the pages promise, and without.
  };

  static void Append(History& history, Fact fact);
  static void Forget(Watched& watched, std::int64_t before_ms);
  [[nodiscard]] static Range RangeOf(const Watched& watched, const std::string& name);
  void Check(const crds::PodGroup& group, const Watched& watched);

  const Shadow& shadow_;
  const Complain complain_;
  std::int64_t calm_ms_ = -1;
  std::int64_t checked_ = 0;
  std::uint64_t noted_ = 0;                 // Version of the shadow.
  std::map<std::string, Watched> watched_;  // By the uid of the PodGroup.
};

}  // namespace muster::e2e
