// Conditions as metav1.Condition wants them: by type, and a transition time that moves with the
// status alone.
#pragma once

#include <string>
#include <vector>

#include "crds/meta.h"
#include "scheduler/base/ids.h"

namespace muster::controllers {

// The one of this type; nullptr = none.
[[nodiscard]] const crds::Condition* FindCondition(const std::vector<crds::Condition>& conditions,
                                                   const std::string& type);

// There is one of this type, and it is True.
[[nodiscard]] bool HasTrue(const std::vector<crds::Condition>& conditions, const std::string& type);

// `wanted` with its transition time: that of the stored one if the status is the same, else now.
[[nodiscard]] crds::Condition Timed(crds::Condition wanted,
                                    const std::vector<crds::Condition>& stored, Wall now);

}  // namespace muster::controllers
