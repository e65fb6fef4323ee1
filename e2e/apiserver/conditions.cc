#include "e2e/apiserver/conditions.h"

#include <algorithm>
#include <utility>

namespace muster::e2e {

const Json* FindCondition(const Json& object, std::string_view type) {
  const Json* conditions = Find(object, {"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) return nullptr;
  const auto found = std::ranges::find_if(
      *conditions, [&](const Json& one) { return StringAt(one, {"type"}) == type; });
  return found == conditions->end() ? nullptr : &*found;
}

bool HasTrueCondition(const Json& object, std::string_view type) {
  const Json* condition = FindCondition(object, type);
  return condition != nullptr && StringAt(*condition, {"status"}) == "True";
}

void SetCondition(Json& object, const std::string& type, Json condition, const std::string& now) {
  Json& conditions = ArrayAt(ObjectAt(object, "status"), "conditions");
  const auto found = std::ranges::find_if(
      conditions, [&](const Json& one) { return StringAt(one, {"type"}) == type; });
  condition["type"] = type;
  condition["lastTransitionTime"] = now;
  if (found == conditions.end()) {
    conditions.push_back(std::move(condition));
    return;
  }
  const Json* since = Find(*found, {"lastTransitionTime"});
  if (since != nullptr && StringAt(*found, {"status"}) == StringAt(condition, {"status"})) {
    condition["lastTransitionTime"] = *since;
  }
  *found = std::move(condition);
}

}  // namespace muster::e2e
