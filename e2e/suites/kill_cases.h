// The kill matrix: the operator dies at one exact Binding of a gang of eight, and is started again.
// In every case the gang ends whole, or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/harness/servers.h"

namespace muster::e2e {

struct KillCase {
  // a: nothing else changes. b: while it is down a better node and an urgent pod come. c: a planned
  // node goes. d: that Binding is held back, its node goes, and it takes effect in the end. With a
  // second operator standing by: e: it takes over. s: the leader is not killed but stopped beyond
  // its lease, and goes on. w: as e, in a cluster so large that the second operator goes by what it
  // has kept. l: the Lease is deleted by hand while that Binding is held back. With room elsewhere,
  // so that nothing that is bound need be deleted: m: as c. n: as d, but that the operator lives.
  // o: while it is down a planned node goes, and room comes when it runs again; with a held
  // Binding, or with none under way.
  char scenario = 'a';
  int at = 0;                 // The Binding; 0 = when the page is stored.
  std::string when = "page";  // page | before | after; hold in d, l and n; after in s; both in o.
  [[nodiscard]] std::string name() const {
    return std::string(1, scenario) + "-" + std::to_string(at) + "-" + when;
  }
};

struct KillRun {
  Programs programs;  // The folder is of this case alone.
  std::string plant;
  // For each thing that must come after the restart: more than an entry's 5 s of quiet and its
  // time-out of 20 s together.
  std::int64_t patience_ms = 60'000;
};

// All of them, in order.
[[nodiscard]] std::vector<KillCase> AllKillCases();
// "" = as it must be, else what was wrong.
[[nodiscard]] std::string RunKillCase(const KillCase& one, const KillRun& run);

}  // namespace muster::e2e
