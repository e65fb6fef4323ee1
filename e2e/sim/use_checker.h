// What is used never passes what there is, by an admission: nodes (invariant 1) and queues (3:
// usage is the sum over live members, never above nominalQuota + borrowingLimit). Counted anew at
// each Binding from the API server's objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "e2e/sim/excuses.h"
#include "e2e/sim/pod_change.h"
#include "e2e/sim/shadow.h"

namespace muster::e2e {

class UseChecker {
 public:
  // `excuses` may be null.
  UseChecker(const Shadow& shadow, const Excuses* excuses, Complain complain)
      : shadow_(shadow), excuses_(excuses), complain_(std::move(complain)) {}

  void OnBound(const crds::Pod& pod) const;
  void OnPage() const;  // One was written.

 private:
  void CheckNode(const std::string& name, const Amounts& more, const std::string& how) const;
  void CheckQueue(const crds::Pod& pod) const;

  const Shadow& shadow_;
  const Excuses* excuses_;
  const Complain complain_;
};

// What the queue may use of a resource at most; none: no limit.
[[nodiscard]] std::optional<std::int64_t> CeilingOf(const crds::QueueResource& resource);

}  // namespace muster::e2e
