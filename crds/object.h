// Any object of a watched kind.
#pragma once

#include <variant>

#include "crds/core.h"
#include "crds/node.h"
#include "crds/pod.h"
#include "crds/pod_group.h"
#include "crds/queue.h"

namespace muster::crds {

using Object = std::variant<std::monostate, Pod, Node, PodGroup, Queue, Namespace, PriorityClass>;

}  // namespace muster::crds
