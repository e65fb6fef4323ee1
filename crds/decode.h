// JSON to typed objects (simdjson). Every error reads "<path>: expected <what>", for example
// "spec.minMember: expected an integer". Fields that Muster does not read are skipped. Pure, from
// any thread.
#pragma once

#include <string_view>

#include "crds/binding_journal.h"
#include "crds/object.h"
#include "scheduler/base/result.h"

namespace muster::crds {

[[nodiscard]] Result<Pod> DecodePod(std::string_view json);
[[nodiscard]] Result<Node> DecodeNode(std::string_view json);
[[nodiscard]] Result<Namespace> DecodeNamespace(std::string_view json);
[[nodiscard]] Result<PriorityClass> DecodePriorityClass(std::string_view json);
[[nodiscard]] Result<PodGroup> DecodePodGroup(std::string_view json);
[[nodiscard]] Result<Queue> DecodeQueue(std::string_view json);
[[nodiscard]] Result<BindingJournal> DecodeBindingJournal(std::string_view json);

}  // namespace muster::crds
