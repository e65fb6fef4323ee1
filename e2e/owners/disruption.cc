#include "e2e/owners/disruption.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "e2e/apiserver/label_selectors.h"
#include "e2e/apiserver/time_text.h"
#include "e2e/owners/cache.h"

namespace muster::e2e {
namespace {

// DeletionTimeout: so long an eviction may take until the pod is gone or marked.
constexpr std::int64_t kEvictionMs = 120'000;

// What the budget asks for, or why nobody can say.
struct Wanted {
  std::int64_t expected = 0, healthy = 0;
  std::string error{};
};

// The replicas that the pods' controllers are to have, together.
Wanted ExpectedScale(const std::vector<const Json*>& pods, const FindOwner& owner) {
  Wanted wanted;
  std::set<std::string> counted;
  for (const Json* pod : pods) {
    const Json* reference = ControllerOf(*pod);
    if (reference == nullptr || !counted.insert(StringAt(*reference, {"uid"})).second) continue;
    const Json* set = owner(StringAt(*reference, {"uid"}));
    if (set != nullptr && StringAt(*set, {"kind"}) == "ReplicaSet") {
      wanted.expected += IntAt(*set, {"spec", "replicas"}).value_or(1);
      continue;
    }
    const bool job = StringAt(*reference, {"kind"}) == "Job";
    wanted.error =
        job ? "jobs.batch does not implement the scale subresource"
            : "found no controllers for pod \"" + StringAt(*pod, {"metadata", "name"}) + "\"";
    return wanted;
  }
  return wanted;
}

// "50%": half of the total, rounded up.
std::int64_t ShareOf(const Json& value, std::int64_t total) {
  if (!value.is_string()) return IntAt(value, {}).value_or(0);
  const auto& text = value.get_ref<const std::string&>();
  std::int64_t percent = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), percent);
  return (percent * total + 99) / 100;
}

Wanted WantedBy(const Json& budget, const std::vector<const Json*>& pods, const FindOwner& owner) {
  const Json* most = Find(budget, {"spec", "maxUnavailable"});
  const Json* least = Find(budget, {"spec", "minAvailable"});
  if (most == nullptr && least == nullptr) return {};
  if (most == nullptr && !least->is_string()) {
    return {.expected = std::ssize(pods), .healthy = ShareOf(*least, 0), .error = ""};
  }
  Wanted wanted = ExpectedScale(pods, owner);
  const std::int64_t kept = most == nullptr ? ShareOf(*least, wanted.expected)
                                            : wanted.expected - ShareOf(*most, wanted.expected);
  wanted.healthy = std::max<std::int64_t>(kept, 0);
  return wanted;
}

// Evicted pods that are still there, by name, with the time.
Json DisruptedPods(const Json& budget, const std::vector<const Json*>& pods, std::int64_t now_ms) {
  Json kept = Json::object();
  for (const Json* pod : pods) {
    const std::string& name = StringAt(*pod, {"metadata", "name"});
    const auto since = ParseTime(StringAt(budget, {"status", "disruptedPods", name}));
    if (since && !IsLeaving(*pod) && now_ms < *since + kEvictionMs) {
      kept[name] = StringAt(budget, {"status", "disruptedPods", name});
    }
  }
  return kept;
}

std::int64_t FirstEnd(const Json& disrupted) {
  std::int64_t first = 0;
  for (const Json& since : disrupted) {
    const std::int64_t end = ParseTime(since.get<std::string>()).value_or(0) + kEvictionMs;
    if (first == 0 || end < first) first = end;
  }
  return first;
}

struct Allowed {
  bool yes = false;
  std::string reason{}, message{};
};

void SetAllowed(Json& next, const Allowed& allowed, std::int64_t now_ms) {
  SetCondition(next, "DisruptionAllowed",
               {{"status", allowed.yes ? "True" : "False"},
                {"reason", allowed.reason},
                {"message", allowed.message},
                {"observedGeneration", IntAt(next, {"metadata", "generation"}).value_or(0)}},
               TimeText(now_ms));
}

}  // namespace

bool BudgetSelects(const Json& budget, const Json& pod) {
  const Json* selector = Find(budget, {"spec", "selector"});
  return selector != nullptr &&
         StringAt(budget, {"metadata", "namespace"}) == StringAt(pod, {"metadata", "namespace"}) &&
         SelectsLabels(*selector, Find(pod, {"metadata", "labels"}));
}

BudgetStep PlanBudget(const Json& budget, const std::vector<const Json*>& pods,
                      const FindOwner& owner, std::int64_t now_ms) {
  const Wanted wanted = WantedBy(budget, pods, owner);
  Json next = budget;
  Json& status = ObjectAt(next, "status");
  status["observedGeneration"] = IntAt(budget, {"metadata", "generation"}).value_or(0);
  BudgetStep step;
  if (!wanted.error.empty()) {
    status["disruptionsAllowed"] = 0;
    SetAllowed(next, {.reason = "SyncFailed", .message = wanted.error}, now_ms);
  } else {
    Json disrupted = DisruptedPods(budget, pods, now_ms);
    step.again_ms = FirstEnd(disrupted);
    const auto healthy = std::ranges::count_if(pods, [&](const Json* pod) {
      return !IsLeaving(*pod) && !disrupted.contains(StringAt(*pod, {"metadata", "name"})) &&
             HasTrueCondition(*pod, "Ready");
    });
    const std::int64_t spare = wanted.expected > 0 ? healthy - wanted.healthy : 0;
    status["currentHealthy"] = healthy;
    status["desiredHealthy"] = wanted.healthy;
    status["expectedPods"] = wanted.expected;
    status["disruptionsAllowed"] = std::max<std::int64_t>(spare, 0);
    status.erase("disruptedPods");
    if (!disrupted.empty()) status["disruptedPods"] = std::move(disrupted);
    SetAllowed(next,
               {.yes = spare > 0, .reason = spare > 0 ? "SufficientPods" : "InsufficientPods"},
               now_ms);
  }
  if (next["status"] != budget.value("status", Json::object())) step.status = next["status"];
  return step;
}

}  // namespace muster::e2e
