// Which API server to use, from what a user or the kubelet has put where: --kubeconfig, KUBECONFIG,
// the service account of the pod that this runs in, $HOME/.kube/config, in this order.
#pragma once

#include <string>

#include "operator/cluster_access.h"
#include "operator/environment.h"
#include "scheduler/base/result.h"

namespace muster::app {

struct Surroundings {
  std::string kubeconfig{};  // --kubeconfig; "" = not given.
  Environment environment{};
  std::string root{};  // Where the pod's files are looked for; "" = /.
};

// An Error is one line that says what was looked for, or what is wrong with what was found.
[[nodiscard]] Result<ClusterAccess> FindCluster(const Surroundings& around);

}  // namespace muster::app
