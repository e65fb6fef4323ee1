// Selectors, taints and tolerations of the API in the core's form. Pure. An operator or effect that
// this program does not know (a newer API server may have one) never makes anything match.
#pragma once

#include <vector>

#include "crds/node.h"
#include "crds/pod.h"
#include "scheduler/model/event.h"

namespace muster::controllers {

[[nodiscard]] std::vector<scheduler::Requirement> ToRequirements(
    const std::vector<crds::SelectorRequirement>& requirements);
[[nodiscard]] std::vector<scheduler::NodeTerm> ToTerms(
    const std::vector<crds::NodeSelectorTerm>& terms);
// Without those that weigh nothing.
[[nodiscard]] std::vector<scheduler::PreferredTerm> ToPreferred(
    const std::vector<crds::PreferredTerm>& terms);
[[nodiscard]] std::vector<scheduler::Taint> ToTaints(const std::vector<crds::Taint>& taints);
[[nodiscard]] std::vector<scheduler::Toleration> ToTolerations(
    const std::vector<crds::Toleration>& tolerations);

}  // namespace muster::controllers
