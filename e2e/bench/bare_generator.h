// The least that any client has to do to bind: the same Bindings as Muster sends, made beforehand,
// over as many connections of the same class, beside one watch on pods that is read and not looked
// at. What Muster is measured against.
#pragma once

#include <cstdint>
#include <vector>

#include "e2e/bench/bind_cluster.h"
#include "operator/http_client.h"

namespace muster::e2e {

// Gang i goes to node i. `skip` pods of the last gang are left out: a fault for the canary.
[[nodiscard]] Result<std::vector<app::HttpCall>> BareBindings(const BindCluster& cluster, int skip);
// Returns when the last one is answered. The cluster knows what took effect.
void SendBare(const BindCluster& cluster, const std::vector<app::HttpCall>& calls,
              std::int32_t connections);

}  // namespace muster::e2e
