// Where the API server is and who we are, from a kubeconfig file. Understood: the current context,
// its cluster's `server` (http://host:port) and its user's `token`. Whatever else would act is
// refused by name, never skipped: a credential that is silently not used looks like a bug of the
// server.
#pragma once

#include <string>

#include "operator/http_client.h"
#include "scheduler/base/result.h"

namespace muster::app {

// `path` as of --kubeconfig or KUBECONFIG. Every error is one line and starts with the path.
[[nodiscard]] Result<Endpoint> LoadKubeconfig(const std::string& path);

// The file's text. Errors read "<field>: <what>", "clusters[0].cluster.server: ...".
[[nodiscard]] Result<Endpoint> ParseKubeconfig(const std::string& yaml);

}  // namespace muster::app
