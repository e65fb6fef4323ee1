#include <algorithm>
#include <utility>

#include "operator/kubeconfig_fields.h"

namespace muster::app {
namespace {

constexpr std::string_view kPluginV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kPluginV1Beta1 = "client.authentication.k8s.io/v1beta1";
constexpr std::string_view kImpersonation = "is not supported: Muster acts as itself alone";

// v1 has no default, v1beta1 has IfAvailable.
Result<void> CheckInteractive(const KubeconfigFields& exec, const std::string& version) {
  const std::string key = "interactiveMode";
  MUSTER_ASSIGN(const std::string mode, exec.Text(key));
  if (mode == "Never" || mode == "IfAvailable") return {};
  if (mode.empty() && version == kPluginV1Beta1) return {};
  if (mode.empty()) return exec.Bad(key, "is missing: Never or IfAvailable");
  if (mode != "Always") return exec.Bad(key, "expected Never or IfAvailable");
  return exec.Bad(key, "there is nobody whom the plugin could ask: Never or IfAvailable is needed");
}

Result<std::vector<std::string>> ReadArguments(const KubeconfigFields& exec) {
  std::vector<std::string> arguments;
  const YAML::Node list = exec.Node("args");
  if (!list || list.IsNull()) return arguments;
  if (!list.IsSequence()) return exec.Bad("args", "expected a list");
  for (const YAML::Node& argument : list) {
    if (!argument.IsScalar()) return exec.Bad("args", "expected a list of strings");
    arguments.push_back(argument.Scalar());
  }
  return arguments;
}

Result<Environment> ReadVariables(const KubeconfigFields& exec) {
  Environment variables;
  MUSTER_ASSIGN(const std::vector<KubeconfigFields> list, exec.Maps("env"));
  for (const KubeconfigFields& entry : list) {
    MUSTER_ASSIGN(const std::string name, entry.NeededText("name"));
    MUSTER_ASSIGN(variables[name], entry.Text("value"));
  }
  return variables;
}

Result<ExecPlugin> ReadExec(const KubeconfigFields& exec) {
  MUSTER_TRY(exec.Only({"apiVersion", "command", "args", "env", "interactiveMode",
                        "provideClusterInfo", "installHint"},
                       {}, "is not a field of exec"));
  ExecPlugin plugin;
  MUSTER_ASSIGN(plugin.api_version, exec.NeededText("apiVersion"));
  if (plugin.api_version != kPluginV1 && plugin.api_version != kPluginV1Beta1) {
    return exec.Bad("apiVersion",
                    "expected " + std::string(kPluginV1) + " or " + std::string(kPluginV1Beta1));
  }
  MUSTER_TRY(CheckInteractive(exec, plugin.api_version));
  MUSTER_ASSIGN(plugin.command, exec.NeededText("command"));
  // A name alone is looked for in PATH.
  if (plugin.command.find('/') != std::string::npos) {
    MUSTER_ASSIGN(plugin.command, exec.File("command"));
  }
  MUSTER_ASSIGN(plugin.arguments, ReadArguments(exec));
  MUSTER_ASSIGN(plugin.environment, ReadVariables(exec));
  MUSTER_ASSIGN(plugin.provide_cluster_info, exec.Flag("provideClusterInfo"));
  MUSTER_ASSIGN(plugin.install_hint, exec.Text("installHint"));
  std::ranges::replace(plugin.install_hint, '\n', ' ');  // Our errors are one line.
  return plugin;
}

bool IsGiven(const PemSource& pem) {
  return !pem.text.empty() || !pem.file.empty();
}

}  // namespace

// A user without any credential is anonymous: the API server decides what that is worth.
Result<void> ReadKubeconfigUser(const KubeconfigFields& user, ClusterAccess& to) {
  MUSTER_TRY(user.Only({"token", "tokenFile", "client-certificate", "client-certificate-data",
                        "client-key", "client-key-data", "exec", "extensions"},
                       {{"username", "basic authentication is served by no Kubernetes since 1.19"},
                        {"password", "basic authentication is served by no Kubernetes since 1.19"},
                        {"auth-provider", "is gone from Kubernetes since 1.26: use `exec`"},
                        {"as", kImpersonation},
                        {"as-uid", kImpersonation},
                        {"as-groups", kImpersonation},
                        {"as-user-extra", kImpersonation}},
                       "is not a field of a user"));
  MUSTER_ASSIGN(to.token, user.Text("token"));
  const bool safe = std::ranges::all_of(to.token, [](char c) { return c > ' ' && c < 0x7f; });
  if (!safe) return user.Bad("token", "holds a space or line end");
  MUSTER_ASSIGN(to.token_file, user.File("tokenFile"));
  MUSTER_ASSIGN(to.certificate, user.Pem("client-certificate"));
  MUSTER_ASSIGN(to.key, user.Pem("client-key"));
  if (IsGiven(to.certificate) != IsGiven(to.key)) {
    return user.Bad(IsGiven(to.key) ? "client-certificate" : "client-key", "is missing");
  }
  if (IsGiven(to.certificate) && !to.tls) {
    return user.Bad("client-certificate", "is of no use without an https:// server");
  }
  const YAML::Node exec = user.Node("exec");
  if (!exec || exec.IsNull()) return {};
  if (!to.token.empty() || !to.token_file.empty() || IsGiven(to.certificate)) {
    return user.Bad("exec", "stands beside another credential: one of them has to go");
  }
  MUSTER_ASSIGN(const KubeconfigFields fields, user.Map("exec"));
  MUSTER_ASSIGN(to.exec, ReadExec(fields));
  return {};
}

}  // namespace muster::app
