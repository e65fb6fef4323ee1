#include "operator/find_cluster.h"

#include <charconv>
#include <filesystem>
#include <system_error>

#include "operator/kubeconfig.h"

namespace muster::app {
namespace {

constexpr const char* kServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

bool Exists(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

// The kubelet gives every container the address, and its service account's files if it has any.
Result<ClusterAccess> InCluster(const std::string& folder, const Environment& environment) {
  const std::string port = ValueOf(environment, "KUBERNETES_SERVICE_PORT");
  ClusterAccess access;
  access.origin = "KUBERNETES_SERVICE_HOST";
  access.host = access.server_name = ValueOf(environment, "KUBERNETES_SERVICE_HOST");
  access.tls = true;
  access.token_file = folder + "/token";
  access.ca.file = folder + "/ca.crt";
  const char* last = port.data() + port.size();
  const auto [end, error] = std::from_chars(port.data(), last, access.port);
  if (error != std::errc() || end != last || access.port < 1 || access.port > 65535) {
    return Error{Code::kInvalidArgument,
                 "KUBERNETES_SERVICE_PORT: expected a port, not \"" + port + "\""};
  }
  return access;
}

}  // namespace

Result<ClusterAccess> FindCluster(const Surroundings& around) {
  if (!around.kubeconfig.empty()) return LoadKubeconfig(around.kubeconfig);
  const std::string list = ValueOf(around.environment, "KUBECONFIG");
  if (!list.empty()) return LoadKubeconfigList(list);
  const bool in_pod = !ValueOf(around.environment, "KUBERNETES_SERVICE_HOST").empty() &&
                      !ValueOf(around.environment, "KUBERNETES_SERVICE_PORT").empty();
  const std::string folder = around.root + kServiceAccount;
  if (in_pod && Exists(folder + "/token")) return InCluster(folder, around.environment);
  const std::string home = ValueOf(around.environment, "HOME");
  const std::string own = home + "/.kube/config";
  if (!home.empty() && Exists(own)) return LoadKubeconfig(own);
  if (in_pod) {
    return Error{
        Code::kNotFound,
        "this runs in a pod without a service account token: there is no " + folder + "/token"};
  }
  return Error{Code::kNotFound,
               "no kubeconfig: set KUBECONFIG or --kubeconfig to a file; $HOME/.kube/config is not "
               "there, and this runs in no pod"};
}

}  // namespace muster::app
