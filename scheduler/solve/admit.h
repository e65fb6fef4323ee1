// Tries one gang: quota, placement, Reserve, Permit, then the commit of an entry. All of it on one
// Transaction, so a refusal leaves no trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/model/transaction.h"
#include "scheduler/solve/cycle.h"
#include "scheduler/solve/placement.h"

namespace muster::scheduler {

// As the decision says it: this pod to this node.
[[nodiscard]] Decision::Bind BindOf(const Core& core, GangId gang, const Assignment& a);

struct AdmitRequest {
  GangId gang;
  // All members of the entry: placed in the Transaction, or bound before.
  std::vector<PodId> pods;
  bool detached = false;  // Minimum 0: giving it up undoes these pods alone.
};
// Commits what the Transaction has placed and adds the Admit to the decision. Returns its id.
std::uint64_t CommitAdmit(Cycle& cycle, Transaction& transaction, const AdmitRequest& request);

// Admits the gang or closes its class.
void TryMinimum(Cycle& cycle, GangId gang);
void TrySurplus(Cycle& cycle, GangId gang);

// Runs Reserve and asks Permit for what is placed; who refuses, if anybody.
struct Consent {
  std::optional<std::string> refused;
};
[[nodiscard]] Consent ReserveAndPermit(Core& core, Transaction& transaction, GangId gang,
                                       std::span<const Assignment> assignments);

}  // namespace muster::scheduler
