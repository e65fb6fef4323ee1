// Where the API server is and who we are, from kubeconfig files, as kubectl reads them. Whatever
// else would act is refused by name, never skipped: a credential that is silently not used looks
// like a bug of the server.
#pragma once

#include <string>

#include "operator/cluster_access.h"
#include "scheduler/base/result.h"

namespace muster::app {

// One file, as of --kubeconfig. Every error is one line and starts with the path.
[[nodiscard]] Result<ClusterAccess> LoadKubeconfig(const std::string& path);

// Files with ':' between them, as of KUBECONFIG. Those that are not there are passed over, and the
// first that has a cluster, user or context of a name, or a current-context, has it for all.
[[nodiscard]] Result<ClusterAccess> LoadKubeconfigList(const std::string& list);

// A file's text; relative paths in it start at `folder`. Errors read "<field>: <what>",
// "clusters[0].cluster.server: ...".
[[nodiscard]] Result<ClusterAccess> ParseKubeconfig(const std::string& yaml,
                                                    const std::string& folder = "");

}  // namespace muster::app
