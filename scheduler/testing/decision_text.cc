#include "scheduler/testing/decision_text.h"

#include <algorithm>
#include <iterator>

namespace muster::scheduler::testing {
namespace {

std::string FullName(const Key& key) {
  return key.ns + "/" + key.name + (key.single_pod ? " (a pod)" : "");
}

std::string BindText(const Decision::Bind& bind) {
  std::string out = FullName(bind.pod_key) + " " + bind.pod + " on " + bind.node_uid;
  if (!bind.sub_group.empty()) out += " of " + bind.sub_group;
  for (const auto& [name, value] : bind.annotations) {
    out.append(" ").append(name).append("=").append(value);
  }
  return out + "\n";
}

}  // namespace

std::string EveryField(const Decision& decision) {
  std::string out = decision.ToText();
  for (const Decision::Admit& admit : decision.admits) {
    out += "of admit " + std::to_string(admit.id) + ": " + FullName(admit.gang) + " " +
           admit.gang_uid + " within " + std::to_string(admit.timeout_ms) + "\n";
    for (const Decision::Bind& bind : admit.pods) out += BindText(bind);
  }
  for (const Decision::Strand& strand : decision.strands) {
    out += "of strand " + std::to_string(strand.id) + ": " + strand.pod + "\n";
  }
  for (const Decision::Amend& amend : decision.amends) {
    out += "of amend " + std::to_string(amend.id) + ": " + FullName(amend.gang) + " " +
           amend.gang_uid + "\n";
    for (const auto& change : amend.changes) out += BindText(change.bind);
  }
  for (const Decision::Abandon& abandon : decision.abandons) {
    out += "of abandon " + std::to_string(abandon.id) + ": " + FullName(abandon.gang) + "\n";
  }
  return out;
}

std::string DecideAll(Scheduler& scheduler, Now now, Budget budget) {
  Decision all = scheduler.Decide(now, budget);
  while (all.more) {
    Decision next = scheduler.Decide(now, budget);
    std::ranges::move(next.admits, std::back_inserter(all.admits));
    std::ranges::move(next.strands, std::back_inserter(all.strands));
    std::ranges::move(next.amends, std::back_inserter(all.amends));
    std::ranges::move(next.abandons, std::back_inserter(all.abandons));
    std::ranges::move(next.lost_wakeups, std::back_inserter(all.lost_wakeups));
    all.wake_at = next.wake_at;
    all.more = next.more;
  }
  return EveryField(all);
}

}  // namespace muster::scheduler::testing
