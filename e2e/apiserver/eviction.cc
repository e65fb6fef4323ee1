#include "e2e/apiserver/eviction.h"

#include <utility>
#include <vector>

#include "e2e/apiserver/conditions.h"
#include "e2e/apiserver/deletion.h"
#include "e2e/apiserver/label_selectors.h"
#include "e2e/apiserver/meta.h"

namespace muster::e2e {
namespace {

constexpr const char* kHeldBack =
    "Cannot evict pod as it would violate the pod's disruption budget.";
constexpr std::int64_t kLookAgainSeconds = 10;

// Nobody is served by it, so no budget counts it.
bool IsOutOfBudget(const Json& pod) {
  const std::string& phase = StringAt(pod, {"status", "phase"});
  return phase == "Pending" || phase == "Succeeded" || phase == "Failed" ||
         Find(pod, {"metadata", "deletionTimestamp"}) != nullptr;
}

std::vector<VersionPtr> BudgetsOf(const Backend& backend, const Json& pod) {
  const Kind& kind = backend.kinds.Get(Builtin::kPodDisruptionBudget);
  const std::string& ns = StringAt(pod, {"metadata", "namespace"});
  std::vector<VersionPtr> found;
  for (const auto& [key, budget] : backend.store.All(kind.storage)) {
    const Json* selector = Find(budget->object, {"spec", "selector"});
    const bool selects = selector != nullptr &&
                         StringAt(budget->object, {"metadata", "namespace"}) == ns &&
                         SelectsLabels(*selector, Find(pod, {"metadata", "labels"}));
    if (selects) found.push_back(budget);
  }
  return found;
}

// A pod that is not ready may go even if the budget is used up (unhealthyPodEvictionPolicy).
bool MayGoUnhealthy(const Json& budget, const Json& pod) {
  if (HasTrueCondition(pod, "Ready")) return false;
  if (StringAt(budget, {"spec", "unhealthyPodEvictionPolicy"}) == "AlwaysAllow") return true;
  const std::int64_t wanted = IntAt(budget, {"status", "desiredHealthy"}).value_or(0);
  return wanted > 0 && IntAt(budget, {"status", "currentHealthy"}).value_or(0) >= wanted;
}

ApiError HeldBack(const std::string& why, std::int64_t retry_seconds) {
  ApiError error = Plain(429, "TooManyRequests", kHeldBack);
  error.details = {{"causes", {{{"reason", "DisruptionBudget"}, {"message", why}}}}};
  if (retry_seconds > 0) error.details["retryAfterSeconds"] = retry_seconds;
  return error;
}

Refusal CheckBudget(const Json& budget) {
  const std::string& name = StringAt(budget, {"metadata", "name"});
  if (IntAt(budget, {"status", "observedGeneration"}).value_or(0) <
      IntAt(budget, {"metadata", "generation"}).value_or(0)) {
    return HeldBack("The disruption budget " + name + " is still being processed by the server.",
                    kLookAgainSeconds);
  }
  if (IntAt(budget, {"status", "disruptionsAllowed"}).value_or(0) > 0) return std::nullopt;
  const auto count = [&](const char* field) {
    return std::to_string(IntAt(budget, {"status", field}).value_or(0));
  };
  return HeldBack("The disruption budget " + name + " needs " + count("desiredHealthy") +
                      " healthy pods and has " + count("currentHealthy") + " currently",
                  0);
}

// One disruption less, and the pod is no longer counted.
Json Charged(const Json& budget, const std::string& pod, const std::string& now) {
  Json charged = budget;
  Json& status = ObjectAt(charged, "status");
  status["disruptionsAllowed"] = IntAt(status, {"disruptionsAllowed"}).value_or(0) - 1;
  ObjectAt(status, "disruptedPods")[pod] = now;
  return charged;
}

Refusal PassBudgets(Backend& backend, const Json& pod, bool dry_run) {
  if (IsOutOfBudget(pod)) return std::nullopt;
  const auto budgets = BudgetsOf(backend, pod);
  if (budgets.size() > 1) {
    return Plain(500, "InternalError",
                 "This pod has more than one PodDisruptionBudget, which the eviction subresource "
                 "does not support.");
  }
  if (budgets.empty() || MayGoUnhealthy(budgets.front()->object, pod)) return std::nullopt;
  const Json& budget = budgets.front()->object;
  if (Refusal refusal = CheckBudget(budget)) return refusal;
  if (dry_run) return std::nullopt;
  const std::string key =
      KeyOf(StringAt(budget, {"metadata", "namespace"}), StringAt(budget, {"metadata", "name"}));
  backend.store.Put(backend.kinds.Get(Builtin::kPodDisruptionBudget).storage, key,
                    Charged(budget, StringAt(pod, {"metadata", "name"}), backend.Now()));
  return std::nullopt;
}

VersionPtr WithDisruptionTarget(Backend& backend, const Target& target, const VersionPtr& pod) {
  Json marked = pod->object;
  SetCondition(marked, "DisruptionTarget",
               {{"status", "True"},
                {"reason", "EvictionByEvictionAPI"},
                {"message", "Eviction API: evicting"}},
               backend.Now());
  return backend.store.Put(target.kind->storage, KeyOf(target.ns, target.name), std::move(marked));
}

Refusal CheckEviction(const Target& target, const Json& eviction) {
  const std::string& kind = StringAt(eviction, {"kind"});
  if (!kind.empty() && kind != "Eviction") {
    return BadRequest(kind + " in version \"v1\" cannot be handled as a Eviction");
  }
  if (StringAt(eviction, {"metadata", "name"}) == target.name) return std::nullopt;
  return BadRequest("name in URL does not match name in Eviction object");
}

}  // namespace

HttpResponse EvictPod(Backend& backend, const Target& target, const HttpRequest& request) {
  auto body = ParseBody(request);
  if (!body.ok()) return ToResponse(body.error());
  if (Refusal refusal = CheckEviction(target, body.value())) return ToResponse(*refusal);
  auto options = ReadDeleteOptions(request, Find(body.value(), {"deleteOptions"}));
  if (!options.ok()) return ToResponse(options.error());
  if (Refusal refusal = CheckNamespace(backend, *target.kind, target.ns, target.name)) {
    return ToResponse(*refusal);
  }
  VersionPtr pod = backend.Find(*target.kind, target.ns, target.name);
  if (pod == nullptr) return ToResponse(NotFound(*target.kind, target.name));
  if (Refusal refusal = CheckDeletePreconditions(*target.kind, pod->object, options.value())) {
    return ToResponse(*refusal);
  }
  const bool dry_run = options.value().dry_run;
  if (Refusal refusal = PassBudgets(backend, pod->object, dry_run)) return ToResponse(*refusal);
  if (!dry_run) {
    pod = WithDisruptionTarget(backend, target, pod);
    options.value().version.clear();  // It was met; the condition has moved it.
  }
  auto deleted = DeleteObject(backend, *target.kind, pod, options.value());
  return deleted.ok() ? Success(201) : ToResponse(deleted.error());
}

}  // namespace muster::e2e
