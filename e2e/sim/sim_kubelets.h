// The kubelets and the controllers on virtual time: they hear of everything at once, and act in
// beats.
#pragma once

#include "e2e/apiserver/server.h"
#include "e2e/owners/controllers.h"
#include "e2e/sim/kubelet.h"
#include "e2e/sim/sim_loop.h"

namespace muster::e2e {

struct ClusterParts {
  Kubelets& kubelets;
  ClusterControllers& controllers;
};

// All outlive the loop's tasks.
void FollowCluster(Kubelets& kubelets, ApiServer& server, const SimLoop& loop);
void FollowCluster(const ClusterParts& parts, ApiServer& server, const SimLoop& loop);
// Tells the controllers of every object, as lists do.
void TellAll(ClusterControllers& controllers, ApiServer& server, const SimLoop& loop);
// Now, and every 100 ms for ever.
void Beat(Kubelets& kubelets, SimLoop& loop);
void Beat(const ClusterParts& parts, SimLoop& loop);

}  // namespace muster::e2e
