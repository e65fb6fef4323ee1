// The kubelets on virtual time: they hear of nodes and pods at once, and act in beats.
#pragma once

#include "e2e/apiserver/server.h"
#include "e2e/sim/kubelet.h"
#include "e2e/sim/sim_loop.h"

namespace muster::e2e {

// All three outlive the loop's tasks.
void FollowCluster(Kubelets& kubelets, ApiServer& server, const SimLoop& loop);
// Now, and every 100 ms for ever.
void Beat(Kubelets& kubelets, SimLoop& loop);

}  // namespace muster::e2e
