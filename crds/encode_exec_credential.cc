#include "crds/encode_json.h"
#include "crds/exec_credential.h"

namespace muster::crds {

std::string EncodeExecInfo(const std::string& api_version,
                           const std::optional<ExecCluster>& cluster) {
  Json spec = {{"interactive", false}};
  if (cluster.has_value()) {
    Json told = {{"server", cluster->server}};
    SetIfNotEmpty(told, "tls-server-name", cluster->tls_server_name);
    if (cluster->insecure_skip_tls_verify) told["insecure-skip-tls-verify"] = true;
    SetIfNotEmpty(told, "certificate-authority-data", cluster->certificate_authority_data);
    spec["cluster"] = std::move(told);
  }
  return Dump({{"kind", "ExecCredential"}, {"apiVersion", api_version}, {"spec", std::move(spec)}});
}

}  // namespace muster::crds
