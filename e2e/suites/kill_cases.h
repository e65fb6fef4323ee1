// The kill matrix: the operator dies at one exact Binding of a gang of eight, and is started again.
// In every case the gang ends whole, or not at all.
#pragma once

#include <string>
#include <vector>

#include "e2e/harness/servers.h"

namespace muster::e2e {

struct KillCase {
  // a: nothing else changes. b: while it is down a better node and an urgent pod come. c: a planned
  // node goes. d: that Binding is held back, its node goes, and it takes effect in the end.
  char scenario = 'a';
  int at = 0;                 // The Binding; 0 = when the page is stored.
  std::string when = "page";  // page | before | after; hold in d.
  [[nodiscard]] std::string name() const {
    return std::string(1, scenario) + "-" + std::to_string(at) + "-" + when;
  }
};

// All of them, in order.
[[nodiscard]] std::vector<KillCase> AllKillCases();
// "" = as it must be, else what was wrong. `programs.folder` is of this case alone.
[[nodiscard]] std::string RunKillCase(const KillCase& one, const Programs& programs,
                                      const std::string& plant);

}  // namespace muster::e2e
