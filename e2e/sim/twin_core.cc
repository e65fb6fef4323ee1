#include "e2e/sim/twin_core.h"

#include <algorithm>
#include <string>

#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

std::string WithoutWakeups(scheduler::Decision decision) {
  decision.lost_wakeups.clear();
  return decision.ToText();
}

// In one line, quoted.
std::string Quoted(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ';');
  return "\"" + text + "\"";
}

}  // namespace

controllers::CoreObserver TwinCore::Observer() {
  return {
      .applied = [this](const scheduler::Event& event) { twin_.Apply(event); },
      .decided = [this](Now now, scheduler::Budget budget,
                        const scheduler::Decision& decision) { Compare(now, budget, decision); }};
}

// What changed is not compared: the operator's core is asked for status in between, which fills
// caches, and may then tell of less. For one made anew all is new: it knows of no lost wake-up. And
// a Decide that its budget has cut may need other steps in another core.
void TwinCore::Compare(Now now, scheduler::Budget budget, const scheduler::Decision& decision) {
  auto rebuilt = scheduler::Scheduler::FromSnapshot(policy_, twin_.Snapshot());
  MUSTER_CHECK(rebuilt.ok());
  const std::string decided = decision.ToText();
  const std::string again = twin_.Decide(now, budget).ToText();
  if (again != decided) {
    complain_("replay (7): over the same events one core decided " + Quoted(decided) +
              " and another " + Quoted(again));
  }
  const scheduler::Decision fresh = rebuilt.value().Decide(now, budget);
  const std::string anew = fresh.ToText();
  if (decision.more || fresh.more || anew == WithoutWakeups(decision)) return;
  complain_("replay (7): the core decided " + Quoted(decided) +
            ", one made anew from its snapshot " + Quoted(anew));
}

}  // namespace muster::e2e
