// The cases of the kill matrix.
#include "e2e/suites/kill_cases.h"
#include "e2e/suites/kill_world.h"

namespace muster::e2e {

std::vector<KillCase> AllKillCases() {
  std::vector<KillCase> cases;
  const auto add = [&cases](char scenario, int at, const char* when) {
    cases.push_back({.scenario = scenario, .at = at, .when = when});
  };
  for (const char scenario : {'a', 'b', 'c', 'm'}) {
    add(scenario, 0, "page");
    for (int at = 1; at <= kMembers; ++at) add(scenario, at, "before");
    // After the last one nothing is left to lose a node.
    const int last = scenario == 'c' || scenario == 'm' ? kMembers - 1 : kMembers;
    for (int at = 1; at <= last; ++at) add(scenario, at, "after");
  }
  for (int at = 1; at <= kMembers; ++at) {
    add('d', at, "hold");
    add('n', at, "hold");
    add('o', at, "hold");
    if (at < kMembers) add('o', at, "after");
  }
  add('e', 0, "page");
  for (int at = 1; at <= kMembers; ++at) {
    add('e', at, "before");
    add('e', at, "after");
    if (at < kMembers) add('s', at, "after");
    add('l', at, "hold");
  }
  add('w', 0, "page");
  add('w', 3, "before");
  add('w', 6, "after");
  return cases;
}

}  // namespace muster::e2e
