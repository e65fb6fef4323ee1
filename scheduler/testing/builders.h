// Events for tests, from as few words as a test should need. Amounts are written as users write
// them ("8", "500m", "16Gi") and become inner units here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/event.h"

namespace muster::scheduler::testing {

struct Amount {
  std::string_view resource;
  std::string_view quantity;
};

// Whole numbers with an optional m, Ki, Mi or Gi. Anything else is a bug of the test.
[[nodiscard]] std::int64_t ParseAmount(std::string_view resource, std::string_view quantity);
[[nodiscard]] Amounts MakeAmounts(const std::vector<Amount>& amounts);

// Ready, with 110 pod slots unless `amounts` says otherwise.
[[nodiscard]] NodeSeen MakeNode(std::string name, const std::vector<Amount>& amounts);
// Open to all namespaces, without ceilings; quotas are nominal.
[[nodiscard]] QueueSeen MakeQueue(std::string name, const std::vector<Amount>& quotas = {});
[[nodiscard]] GangSeen MakeGang(std::string name, std::string queue, std::int32_t min_member);
// A pending pod of ours that is a member of the PodGroup of that name.
[[nodiscard]] PodSeen MakeMember(const std::string& gang, std::int32_t index,
                                 const std::vector<Amount>& requests);
// A pending pod of ours without a PodGroup.
[[nodiscard]] PodSeen MakeSingle(const std::string& name, const std::string& queue,
                                 const std::vector<Amount>& requests);
// A bound pod of another scheduler.
[[nodiscard]] PodSeen MakeForeign(const std::string& name, const std::string& node,
                                  const std::vector<Amount>& requests);
// The same pod as the API server shows it once we have bound it.
[[nodiscard]] PodSeen BoundTo(PodSeen pod, const std::string& node, const std::string& queue,
                              const Uid& group_uid);
[[nodiscard]] Key GroupKey(std::string name);

}  // namespace muster::scheduler::testing
