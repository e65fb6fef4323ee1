// Kubernetes' selector operators over sorted labels: node affinity terms, namespace selectors.
#pragma once

#include <span>
#include <string_view>

#include "scheduler/model/event.h"

namespace muster::scheduler {

// nullptr: the label is not there.
[[nodiscard]] const std::string* FindLabel(const Labels& labels, std::string_view key);
// NotIn and DoesNotExist hold where the key is missing; Gt and Lt compare integers and fail where
// either side is none.
[[nodiscard]] bool Matches(const Requirement& requirement, const std::string* value);
[[nodiscard]] bool MatchesAll(std::span<const Requirement> requirements, const Labels& labels);
// A term without any requirement matches nothing (metav1.NodeSelectorTerm).
[[nodiscard]] bool MatchesNode(const NodeTerm& term, const Labels& labels,
                               const std::string& node_name);

}  // namespace muster::scheduler
