#include "e2e/sim/canaries.h"

#include <iterator>
#include <utility>

namespace muster::e2e {

std::vector<Canary> Canaries(const std::string& crds_folder) {
  std::vector<Canary> all;
  for (auto* some : {&ProgressCanaries, &RequestCanaries, &LeaderCanaries, &ReasonCanaries,
                     &DomainCanaries, &OrderCanaries}) {
    std::vector<Canary> canaries = some(crds_folder);
    std::move(canaries.begin(), canaries.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace muster::e2e
