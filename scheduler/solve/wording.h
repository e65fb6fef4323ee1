// The words of every "why not": kube-scheduler's line, the queue's texts, the cut at 1,024 bytes.
// Numbers in, text out; looks at nothing but what it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/model/cluster.h"
#include "scheduler/solve/quota.h"

namespace muster::scheduler {

inline constexpr std::size_t kMaxMessageBytes = 1024;
// At most kMaxMessageBytes, ending in " ..." if something was cut off; never inside a character.
[[nodiscard]] std::string CutMessage(std::string text);

// "3 Insufficient cpu, 1 node(s) had ..": each reason with its count, sorted as strings, as
// kube-scheduler's FitError does.
[[nodiscard]] std::string JoinReasons(const std::map<std::string, std::int32_t>& histogram);
// "0/4 nodes are available: 4 Insufficient nvidia.com/gpu."
[[nodiscard]] std::string FitErrorText(std::size_t nodes,
                                       const std::map<std::string, std::int32_t>& histogram);

// "1 member", "2 members".
[[nodiscard]] std::string Counted(std::int64_t count, std::string_view noun);
// "8 nvidia.com/gpu"
[[nodiscard]] std::string AmountText(std::string_view resource, std::int64_t amount);
// "held by ns/a (32), ns/b (8), ns/c (4) and 2 more"; largest first, then by name. "" for nobody.
[[nodiscard]] std::string HoldersText(std::string_view resource,
                                      std::vector<std::pair<std::string, std::int64_t>> holders);
// "Queue q: uses 8 of 8 nominal, limit 8; the gang needs 4 nvidia.com/gpu more."
[[nodiscard]] std::string QuotaText(std::string_view queue, const QuotaVerdict::Short& refused);

[[nodiscard]] std::string QueueNotFoundText(const Cluster& cluster, const GangRow& gang);
[[nodiscard]] std::string NamespaceNotAllowedText(const QueueSeen& queue);
// "3 of 4 members exist", "4 exist, 1 behind a scheduling gate"; behind it the same of each
// sub-group that has not enough: "; sub-group db: 1 of 2 exist".
[[nodiscard]] std::string NotEnoughMembersText(const Cluster& cluster, GangId gang);

}  // namespace muster::scheduler
