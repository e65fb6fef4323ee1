#include "controllers/selectors.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace muster::controllers {
namespace {

using scheduler::Requirement;
using scheduler::TaintEffect;

std::optional<Requirement::Op> ToOp(std::string_view op) {
  if (op == "In") return Requirement::Op::kIn;
  if (op == "NotIn") return Requirement::Op::kNotIn;
  if (op == "Exists") return Requirement::Op::kExists;
  if (op == "DoesNotExist") return Requirement::Op::kDoesNotExist;
  if (op == "Gt") return Requirement::Op::kGt;
  if (op == "Lt") return Requirement::Op::kLt;
  return std::nullopt;
}

// nullopt: empty, or of a later Kubernetes.
std::optional<TaintEffect> ToEffect(std::string_view effect) {
  if (effect == "NoSchedule") return TaintEffect::kNoSchedule;
  if (effect == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  if (effect == "NoExecute") return TaintEffect::kNoExecute;
  return std::nullopt;
}

}  // namespace

std::vector<Requirement> ToRequirements(
    const std::vector<crds::SelectorRequirement>& requirements) {
  std::vector<Requirement> out;
  for (const crds::SelectorRequirement& from : requirements) {
    Requirement to;
    to.key = from.key;
    if (const auto op = ToOp(from.op)) {
      to.op = *op;
      to.values = from.values;
    } else {
      to.op = Requirement::Op::kIn;  // One of none.
    }
    out.push_back(std::move(to));
  }
  return out;
}

std::vector<scheduler::NodeTerm> ToTerms(const std::vector<crds::NodeSelectorTerm>& terms) {
  std::vector<scheduler::NodeTerm> out;
  out.reserve(terms.size());
  for (const crds::NodeSelectorTerm& term : terms) {
    out.push_back({ToRequirements(term.expressions), ToRequirements(term.fields)});
  }
  return out;
}

std::vector<scheduler::PreferredTerm> ToPreferred(const std::vector<crds::PreferredTerm>& terms) {
  constexpr std::int64_t kMaxWeight = 100;  // As the API server holds it.
  std::vector<scheduler::PreferredTerm> out;
  for (const crds::PreferredTerm& term : terms) {
    if (term.weight <= 0) continue;
    out.push_back({std::min(term.weight, kMaxWeight),
                   {ToRequirements(term.term.expressions), ToRequirements(term.term.fields)}});
  }
  return out;
}

std::vector<scheduler::Taint> ToTaints(const std::vector<crds::Taint>& taints) {
  std::vector<scheduler::Taint> out;
  for (const crds::Taint& taint : taints) {
    if (const auto effect = ToEffect(taint.effect)) {
      out.push_back({taint.key, taint.value, *effect});
    }
  }
  return out;
}

std::vector<scheduler::Toleration> ToTolerations(const std::vector<crds::Toleration>& tolerations) {
  std::vector<scheduler::Toleration> out;
  for (const crds::Toleration& from : tolerations) {
    const bool exists = from.op == "Exists";
    const auto effect = ToEffect(from.effect);
    const bool known_op = exists || from.op.empty() || from.op == "Equal";
    if (!known_op || (!effect.has_value() && !from.effect.empty())) continue;
    // In one form for each meaning, so that equal pods have equal shapes.
    scheduler::Toleration to;
    to.key = from.key;
    if (!exists) to.value = from.value;
    to.exists = exists;
    to.any_effect = from.effect.empty();
    if (effect.has_value()) to.effect = *effect;
    out.push_back(std::move(to));
  }
  return out;
}

}  // namespace muster::controllers
