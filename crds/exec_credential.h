// client.authentication.k8s.io ExecCredential: what a credential plugin is told, and what it says.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/base/result.h"

namespace muster::crds {

struct ExecStatus {
  std::string token{};
  std::string certificate{}, key{};          // PEM.
  std::optional<std::int64_t> expires_ms{};  // Since 1970; without one it is good until refused.
};
struct ExecCredential {
  std::string api_version{}, kind{};
  std::optional<ExecStatus> status{};
};
[[nodiscard]] Result<ExecCredential> DecodeExecCredential(std::string_view json);

// The cluster that a plugin is asked for, with the field names of a kubeconfig.
struct ExecCluster {
  std::string server{}, tls_server_name{};
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority_data{};  // Base64.
};
// The value of KUBERNETES_EXEC_INFO. There is nobody whom the plugin could ask.
[[nodiscard]] std::string EncodeExecInfo(const std::string& api_version,
                                         const std::optional<ExecCluster>& cluster);

}  // namespace muster::crds
