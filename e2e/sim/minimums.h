// What a campaign of seeds has to have met: each kind of fault, and each rare turn that Muster
// takes under them (a mark). A campaign that was too mild fails, however green its seeds are.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace muster::e2e {

using Counts = std::map<std::string, std::int64_t>;

struct Minimum {
  const char* name = nullptr;
  std::int64_t at_least = 0;
  std::int64_t from_seeds = 0;  // With fewer seeds it is told, not asked for.
};

// Of the faults that struck, of the marks that were reached.
[[nodiscard]] std::vector<Minimum> FaultMinimums();
[[nodiscard]] std::span<const Minimum> MarkMinimums();

struct Verdict {
  std::vector<std::string> lines;    // One for each minimum: name, count, what is asked for.
  std::vector<std::string> lacking;  // Names of those that were not met.
};
[[nodiscard]] Verdict Judge(std::span<const Minimum> minimums, const Counts& counts,
                            std::int64_t seeds);

}  // namespace muster::e2e
