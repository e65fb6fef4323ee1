// Any object of a watched kind.
#pragma once

#include <type_traits>
#include <variant>

#include "crds/core.h"
#include "crds/node.h"
#include "crds/pod.h"
#include "crds/pod_group.h"
#include "crds/queue.h"

namespace muster::crds {

using Object = std::variant<std::monostate, Pod, Node, PodGroup, Queue, Namespace, PriorityClass>;

// nullptr: it holds no object.
[[nodiscard]] inline const ObjectMeta* MetaOf(const Object& object) {
  return std::visit(
      [](const auto& typed) -> const ObjectMeta* {
        if constexpr (std::is_same_v<std::decay_t<decltype(typed)>, std::monostate>) {
          return nullptr;
        } else {
          return &typed.meta;
        }
      },
      object);
}

}  // namespace muster::crds
