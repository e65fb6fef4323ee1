// The canonical text of a Decision: what scenario files compare and what two runs must repeat byte
// for byte.
#include <string>
#include <string_view>

#include "scheduler/solve/scheduler.h"

namespace muster::scheduler {
namespace {

std::string Name(const Key& key) {
  return key.ns + "/" + key.name;
}

void AppendAdmit(const Decision::Admit& admit, std::string& out) {
  out += "admit " + Name(admit.gang) + " id=" + std::to_string(admit.id) +
         " min=" + std::to_string(admit.min_member);
  for (const SubGroup& sub : admit.sub_groups) {
    out += " " + sub.name + ":" + std::to_string(sub.min_member);
  }
  out += " queue=" + admit.queue;
  for (const Charge& charge : admit.charges) {
    out += " " + charge.resource + "=" + std::to_string(charge.amount);
  }
  out += "\n";
  for (const Decision::Bind& bind : admit.pods) {
    out += "bind " + Name(bind.pod_key) + " " + bind.node + "\n";
  }
}

void AppendAmend(const Decision::Amend& amend, std::string& out) {
  out += "amend " + Name(amend.gang) + " id=" + std::to_string(amend.id) + "\n";
  for (const Decision::Amend::Change& change : amend.changes) {
    const Decision::Bind& bind = change.bind;
    if (change.replaces.empty()) {
      out += "add ";
    } else {
      const bool moves = change.replaces == bind.pod;
      out += moves ? "move " : "replace " + change.replaces + " by ";
    }
    out += Name(bind.pod_key) + " " + bind.node + "\n";
  }
}

}  // namespace

std::string_view WhyName(Decision::Why why) {
  switch (why) {
    case Decision::Why::kTimeout:
      return "Timeout";
    case Decision::Why::kRefused:
      return "Refused";
    case Decision::Why::kNoFit:
      return "NoFit";
    case Decision::Why::kGroupGone:
      return "GroupGone";
  }
  return "";
}

std::string Decision::ToText() const {
  std::string out;
  for (const Admit& admit : admits) AppendAdmit(admit, out);
  for (const Strand& strand : strands) {
    out += "strand " + Name(strand.pod_key) + " id=" + std::to_string(strand.id) + "\n";
  }
  for (const Amend& amend : amends) AppendAmend(amend, out);
  for (const Abandon& abandon : abandons) {
    out += "abandon " + Name(abandon.gang) + " id=" + std::to_string(abandon.id) + " " +
           std::string(WhyName(abandon.why)) + " " + abandon.text + "\n";
  }
  for (const Key& gang : lost_wakeups) out += "lost wake-up of " + Name(gang) + "\n";
  if (wake_at) out += "wake " + std::to_string(wake_at->ms) + "\n";
  if (more) out += "more\n";
  return out;
}

}  // namespace muster::scheduler
