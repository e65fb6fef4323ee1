#include "operator/exec_plugin.h"

#include <optional>
#include <utility>

#include "operator/child_process.h"

namespace muster::app {
namespace {

Error BadOutput(std::string what) {
  return {Code::kInvalidArgument, std::move(what)};
}

}  // namespace

Result<crds::ExecStatus> ReadExecOutput(const std::string& api_version, std::string_view text) {
  Result<crds::ExecCredential> read = crds::DecodeExecCredential(text);
  if (!read.ok()) return BadOutput("wrote no ExecCredential: " + read.error().message);
  crds::ExecCredential& credential = read.value();
  if (credential.kind != "ExecCredential") {
    return BadOutput("wrote an object of another kind than ExecCredential");
  }
  if (credential.api_version != api_version) {
    return BadOutput("wrote another version than the " + api_version +
                     " that the kubeconfig asks for");
  }
  if (!credential.status.has_value()) return BadOutput("wrote an ExecCredential without a status");
  const crds::ExecStatus& status = *credential.status;
  if (status.certificate.empty() != status.key.empty()) {
    return BadOutput("gave only one of clientCertificateData and clientKeyData");
  }
  if (status.token.empty() && status.certificate.empty()) {
    return BadOutput("gave neither a token nor a client certificate");
  }
  return std::move(*credential.status);
}

Result<crds::ExecStatus> RunExecPlugin(const ExecPlugin& plugin, const crds::ExecCluster& cluster,
                                       std::int64_t patience_ms, const StopFlag& stop) {
  const auto fail = [&plugin](Code code, const std::string& what) {
    return Error{code, "exec plugin " + plugin.command + ": " + what};
  };
  ChildCommand command{.program = plugin.command,
                       .arguments = plugin.arguments,
                       .environment = ProcessEnvironment(),
                       .patience_ms = patience_ms};
  for (const auto& [name, value] : plugin.environment) command.environment[name] = value;
  std::optional<crds::ExecCluster> told;
  if (plugin.provide_cluster_info) told = cluster;
  command.environment["KUBERNETES_EXEC_INFO"] = crds::EncodeExecInfo(plugin.api_version, told);
  const Result<ChildOutput> ran = RunChild(command, stop);
  if (!ran.ok()) {
    const bool missing = ran.error().code == Code::kNotFound;
    const std::string hint =
        missing && !plugin.install_hint.empty() ? "; " + plugin.install_hint : std::string();
    return fail(ran.error().code, ran.error().message + hint);
  }
  if (ran.value().code != 0) {
    return fail(Code::kUnavailable, "ended with exit code " + std::to_string(ran.value().code));
  }
  Result<crds::ExecStatus> status = ReadExecOutput(plugin.api_version, ran.value().text);
  if (!status.ok()) return fail(status.error().code, status.error().message);
  return status;
}

}  // namespace muster::app
