#include "scheduler/framework/taints.h"

#include <algorithm>

namespace muster::scheduler {

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.any_effect && toleration.effect != taint.effect) return false;
  // An empty key goes with Exists only; Equal with an empty key matches no taint, as no taint has
  // an empty key.
  if (toleration.key.empty()) return toleration.exists;
  if (toleration.key != taint.key) return false;
  return toleration.exists || toleration.value == taint.value;
}

bool Tolerates(std::span<const Toleration> tolerations, const Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& t) { return Tolerates(t, taint); });
}

}  // namespace muster::scheduler
