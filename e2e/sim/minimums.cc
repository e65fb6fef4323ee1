#include "e2e/sim/minimums.h"

#include <algorithm>
#include <array>

#include "e2e/sim/faults.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kCampaign = 500;  // Seeds.
constexpr std::int64_t kStruck = 200;
constexpr std::int64_t kReached = 5;

constexpr std::array kMarks = {
    Minimum{"abandoned", kReached, 50},
    Minimum{"touched", kReached, 50},
    Minimum{"late binding refused", kReached, 50},
    Minimum{"lease lost", kReached, 50},
    Minimum{"entries taken over", kReached, 50},
    Minimum{"numbers of reasons", kReached, 50},
    Minimum{"bound beside its gang", kReached, 50},
    Minimum{"rolled forward", kReached, kCampaign},
    Minimum{"abandoned after a crash", kReached, kCampaign},
    Minimum{"abandoned by time-out", kReached, kCampaign},
    Minimum{"ambiguous answer was bound", kReached, kCampaign},
    Minimum{"ambiguous answer was not bound", kReached, kCampaign},
    Minimum{"foreign binder met", kReached, kCampaign},
    Minimum{"member replaced in an entry", kReached, kCampaign},
    Minimum{"member left an entry", kReached, kCampaign},
    Minimum{"refused for good", kReached, kCampaign},
    Minimum{"relist after 410", kReached, kCampaign},
    Minimum{"lease lost with bindings in flight", kReached, kCampaign},
    Minimum{"deposed", kReached, kCampaign},
    Minimum{"deposed by a 409", kReached, kCampaign},
    Minimum{"kubelet rejection", kReached, kCampaign},
    Minimum{"wake by a Need", kReached, kCampaign},
    Minimum{"no wake by a Need", kReached, kCampaign},
    Minimum{"backoff at its cap", kReached, kCampaign},
    Minimum{"warm take-over", kReached, kCampaign},
    Minimum{"kinds listed anew at a take-over", kReached, kCampaign},
};

}  // namespace

std::vector<Minimum> FaultMinimums() {
  std::vector<Minimum> minimums;
  for (const FaultKind& kind : FaultKinds()) minimums.push_back({kind.name, kStruck, kCampaign});
  return minimums;
}

std::span<const Minimum> MarkMinimums() {
  return kMarks;
}

Verdict Judge(std::span<const Minimum> minimums, const Counts& counts, std::int64_t seeds) {
  Verdict verdict;
  for (const Minimum& minimum : minimums) {
    const auto found = counts.find(minimum.name);
    const std::int64_t count = found == counts.end() ? 0 : found->second;
    const bool asked = seeds >= minimum.from_seeds;
    std::string line(minimum.name);
    line.resize(std::max<std::size_t>(line.size(), 40), ' ');
    line += " " + std::to_string(count) + " times, at least " + std::to_string(minimum.at_least);
    if (!asked) line += " from " + std::to_string(minimum.from_seeds) + " seeds on";
    if (asked && count < minimum.at_least) {
      line += ": TOO FEW";
      verdict.lacking.emplace_back(minimum.name);
    }
    verdict.lines.push_back(std::move(line));
  }
  return verdict;
}

}  // namespace muster::e2e
