#include "e2e/owners/node_lifecycle.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "e2e/apiserver/time_text.h"

namespace muster::e2e {
namespace {

constexpr const char* kNotReady = "node.kubernetes.io/not-ready";
constexpr const char* kUnreachable = "node.kubernetes.io/unreachable";

const Json& ListAt(const Json& object, Path path) {
  static const Json none = Json::array();
  const Json* found = Find(object, path);
  return found != nullptr && found->is_array() ? *found : none;
}

bool IsOfKubelet(const Json& condition) {
  constexpr std::array<std::string_view, 4> kTypes = {"Ready", "MemoryPressure", "DiskPressure",
                                                      "PIDPressure"};
  return std::ranges::find(kTypes, StringAt(condition, {"type"})) != kTypes.end();
}

// The key of the taint that the node has to carry, "" for none.
std::string WantedTaint(const Json& node) {
  for (const Json& condition : ListAt(node, {"status", "conditions"})) {
    if (StringAt(condition, {"type"}) != "Ready") continue;
    const std::string& status = StringAt(condition, {"status"});
    if (status == "True") return "";
    return status == "False" ? kNotReady : kUnreachable;
  }
  return "";  // Its kubelet has not said anything yet.
}

bool IsOurs(const Json& taint) {
  const std::string& key = StringAt(taint, {"key"});
  return key == kNotReady || key == kUnreachable;
}

// Toleration.ToleratesTaint of k8s.io/api/core/v1.
bool Tolerates(const Json& toleration, const Json& taint) {
  const std::string& effect = StringAt(toleration, {"effect"});
  const std::string& key = StringAt(toleration, {"key"});
  if (!effect.empty() && effect != StringAt(taint, {"effect"})) return false;
  if (!key.empty() && key != StringAt(taint, {"key"})) return false;
  if (StringAt(toleration, {"operator"}) == "Exists") return true;
  return StringAt(toleration, {"value"}) == StringAt(taint, {"value"});
}

}  // namespace

Json UnknownConditions(const Json& node, std::int64_t now_ms) {
  Json conditions = ListAt(node, {"status", "conditions"});
  bool changed = false;
  for (Json& condition : conditions) {
    if (!IsOfKubelet(condition) || StringAt(condition, {"status"}) == "Unknown") continue;
    condition["status"] = "Unknown";
    condition["reason"] = "NodeStatusUnknown";
    condition["message"] = "Kubelet stopped posting node status.";
    condition["lastTransitionTime"] = TimeText(now_ms);
    changed = true;
  }
  const bool has_ready = std::ranges::any_of(
      conditions, [](const Json& one) { return StringAt(one, {"type"}) == "Ready"; });
  if (!has_ready) {
    conditions.push_back({{"type", "Ready"},
                          {"status", "Unknown"},
                          {"reason", "NodeStatusNeverUpdated"},
                          {"message", "Kubelet never posted node status."},
                          {"lastTransitionTime", TimeText(now_ms)}});
  }
  return changed || !has_ready ? conditions : Json();
}

Json TaintsByCondition(const Json& node, std::int64_t now_ms) {
  const Json& given = ListAt(node, {"spec", "taints"});
  const std::string wanted = WantedTaint(node);
  Json taints = Json::array();
  for (const Json& taint : given) {
    if (!IsOurs(taint) || StringAt(taint, {"key"}) == wanted) taints.push_back(taint);
  }
  for (const char* effect : {"NoSchedule", "NoExecute"}) {
    const bool there = std::ranges::any_of(taints, [&](const Json& taint) {
      return StringAt(taint, {"key"}) == wanted && StringAt(taint, {"effect"}) == effect;
    });
    if (wanted.empty() || there) continue;
    taints.push_back({{"key", wanted}, {"effect", effect}, {"timeAdded", TimeText(now_ms)}});
  }
  return taints == given ? Json() : taints;
}

bool Evicts(const Json& node) {
  return std::ranges::any_of(ListAt(node, {"spec", "taints"}), [](const Json& taint) {
    return StringAt(taint, {"effect"}) == "NoExecute";
  });
}

std::optional<std::int64_t> EvictionTime(const Json& node, const Json& pod) {
  std::optional<std::int64_t> first;
  for (const Json& taint : ListAt(node, {"spec", "taints"})) {
    if (StringAt(taint, {"effect"}) != "NoExecute") continue;
    // The shortest of those that match counts; one without an end tolerates for ever.
    std::optional<std::int64_t> seconds;
    bool tolerated = false;
    for (const Json& toleration : ListAt(pod, {"spec", "tolerations"})) {
      if (!Tolerates(toleration, taint)) continue;
      tolerated = true;
      const auto own = IntAt(toleration, {"tolerationSeconds"});
      if (own) seconds = std::min(seconds.value_or(*own), *own);
    }
    if (tolerated && !seconds) continue;
    const std::int64_t since = ParseTime(StringAt(taint, {"timeAdded"})).value_or(0);
    const std::int64_t end = since + std::max<std::int64_t>(seconds.value_or(0), 0) * 1000;
    first = std::min(first.value_or(end), end);
  }
  return first;
}

}  // namespace muster::e2e
