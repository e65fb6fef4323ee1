// The small kinds: Namespace and PriorityClass.
#pragma once

#include <cstdint>

#include "crds/meta.h"

namespace muster::crds {

// Its labels say which queues its gangs may use, an annotation which one they use unless they say.
struct Namespace {
  ObjectMeta meta;
  friend bool operator==(const Namespace&, const Namespace&) = default;
};

struct PriorityClass {
  ObjectMeta meta;
  std::int32_t value = 0;
  friend bool operator==(const PriorityClass&, const PriorityClass&) = default;
};

}  // namespace muster::crds
