#include "controllers/conditions.h"

#include <algorithm>

#include "crds/time.h"

namespace muster::controllers {

const crds::Condition* FindCondition(const std::vector<crds::Condition>& conditions,
                                     const std::string& type) {
  const auto it = std::find_if(conditions.begin(), conditions.end(),
                               [&type](const crds::Condition& c) { return c.type == type; });
  return it == conditions.end() ? nullptr : &*it;
}

bool HasTrue(const std::vector<crds::Condition>& conditions, const std::string& type) {
  const crds::Condition* condition = FindCondition(conditions, type);
  return condition != nullptr && condition->status == "True";
}

crds::Condition Timed(crds::Condition wanted, const std::vector<crds::Condition>& stored,
                      Wall now) {
  const crds::Condition* before = FindCondition(stored, wanted.type);
  wanted.last_transition_ms = before != nullptr && before->status == wanted.status
                                  ? before->last_transition_ms
                                  : crds::WholeSeconds(now.ms);
  return wanted;
}

}  // namespace muster::controllers
