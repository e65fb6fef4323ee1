// Invariant 7: two runs over the same input decide the same. Beside the core of each operator runs
// a second one over the same events; and before each Decide a third is made anew from the snapshot
// of that, which has none of the caches of the first.
#pragma once

#include <utility>

#include "controllers/manager.h"
#include "e2e/sim/pod_change.h"
#include "scheduler/solve/scheduler.h"

namespace muster::e2e {

class TwinCore {
 public:
  TwinCore(const scheduler::Policy& policy, Complain complain)
      : policy_(policy), complain_(std::move(complain)), twin_(policy) {}
  TwinCore(const TwinCore&) = delete;
  TwinCore& operator=(const TwinCore&) = delete;

  // For the operator whose core this is the twin of; no longer than this object lives.
  [[nodiscard]] controllers::CoreObserver Observer();

 private:
  void Compare(Now now, scheduler::Budget budget, const scheduler::Decision& decision);

  const scheduler::Policy policy_;
  const Complain complain_;
  scheduler::Scheduler twin_;
};

}  // namespace muster::e2e
