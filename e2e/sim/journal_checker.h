// Invariant 6: of what an operator sends, whenever it arrives, nothing acts that the pages do not
// name at that moment. A Binding: this pod, at this resourceVersion, on this node. A DELETE: this
// pod, in an entry that is given up. A touch acts on no pod that is bound. And a pod that is being
// given up stands in no other entry. What counts is what changed, not what the request said.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "e2e/sim/excuses.h"
#include "e2e/sim/pod_change.h"
#include "e2e/sim/shadow.h"

namespace muster::e2e {

class JournalChecker {
 public:
  // `excuses` may be null: pages that were taken away, which count as if they were there.
  JournalChecker(const Shadow& shadow, const Excuses* excuses, Complain complain)
      : shadow_(shadow), excuses_(excuses), complain_(std::move(complain)) {}

  // By an operator's Binding, DELETE, or patch of a pod's status.
  void OnBinding(const PodChange& change) const;
  void OnDelete(const PodChange& change) const;
  void OnStatus(const PodChange& change, const std::string& patch) const;
  void OnPage() const;                        // One was written.
  void OnPod(const PodChange& change) const;  // By anybody.

 private:
  [[nodiscard]] bool AnyNamed(const std::function<bool(const Shadow::Named&)>& meant) const;

  const Shadow& shadow_;
  const Excuses* excuses_;
  const Complain complain_;
};

}  // namespace muster::e2e
