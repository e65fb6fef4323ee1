// Invariant 10: members of a gang with topology.required are bound into one domain; of those that
// somebody else has put elsewhere it is not asked. Knows the racks of the simulated nodes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "e2e/sim/pod_change.h"
#include "e2e/sim/shadow.h"

namespace muster::e2e {

class DomainChecker {
 public:
  DomainChecker(const Shadow& shadow, Complain complain)
      : shadow_(shadow), complain_(std::move(complain)) {}

  // By a Binding of an operator.
  void OnBound(const crds::Pod& now);
  // Once a second.
  void Tick();
  // Members that were held against others of their gang.
  [[nodiscard]] std::int64_t checked() const { return checked_; }

 private:
  // "" = it has no label. A node that is gone is where it was.
  [[nodiscard]] std::string RackOf(const std::string& node) const;

  const Shadow& shadow_;
  const Complain complain_;
  std::map<std::string, std::string> racks_;  // By node, as last seen.
  std::int64_t checked_ = 0;
};

}  // namespace muster::e2e
