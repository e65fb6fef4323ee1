// Invariant 2: a gang has none of its members bound, or at least its minimum; one that is bound in
// part is completed or undone within its time-out under one leader.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "e2e/sim/pod_change.h"
#include "e2e/sim/shadow.h"

namespace muster::e2e {

class WholeChecker {
 public:
  WholeChecker(const Shadow& shadow, Complain complain)
      : shadow_(shadow), complain_(std::move(complain)) {}

  // Once a second. `leader_since_ms`: since when the present leader
  // leads and follows every kind.
  void Tick(std::int64_t now_ms, std::int64_t leader_since_ms);
  void AtRest() const;
  void BeginAnew() { partial_since_ms_.clear(); }

 private:
  [[nodiscard]] std::int64_t PartOf(const crds::PodGroup& group) const;

  const Shadow& shadow_;
  const Complain complain_;
  std::map<std::string, std::int64_t> partial_since_ms_;  // By the uid of the PodGroup.
};

}  // namespace muster::e2e
