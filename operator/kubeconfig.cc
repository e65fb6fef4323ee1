#include "operator/kubeconfig.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "operator/kubeconfig_fields.h"

namespace muster::app {
namespace {

using Documents = std::vector<KubeconfigFields>;

// The entry of the first file that has one of this name, and the map that it holds under `kind`.
Result<KubeconfigFields> FindNamed(const Documents& files, const std::string& list,
                                   const std::string& kind, const std::string& name) {
  for (const KubeconfigFields& file : files) {
    std::optional<KubeconfigFields> found;
    MUSTER_ASSIGN(const Documents entries, file.Maps(list));
    for (const KubeconfigFields& entry : entries) {
      MUSTER_ASSIGN(const std::string entry_name, entry.NeededText("name"));
      if (entry_name != name) continue;
      if (found.has_value()) return entry.Bad("name", "\"" + name + "\" is there twice");
      MUSTER_ASSIGN(const KubeconfigFields body, entry.Map(kind));
      found.emplace(body);
    }
    if (found.has_value()) return *found;
  }
  return files.front().Bad(list, "no entry has the name \"" + name + "\"");
}

Result<std::string> CurrentContext(const Documents& files) {
  for (const KubeconfigFields& file : files) {
    MUSTER_ASSIGN(std::string name, file.Text("current-context"));
    if (!name.empty()) return name;
  }
  return files.front().Bad("current-context", "is missing");
}

bool HasOnly(std::string_view text, std::string_view marks) {
  return std::ranges::all_of(text, [marks](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
}

// Whatever else could be in a name would be looked for in vain.
bool IsHost(std::string_view host) {
  return !host.empty() && host.front() != '.' && HasOnly(host, "-._");
}

bool TakeScheme(std::string& rest, std::string_view scheme) {
  if (!rest.starts_with(scheme)) return false;
  rest.erase(0, scheme.size());
  return true;
}

// "" = done, else what is wrong. "host", "host:port", "[v6]", "[v6]:port".
std::string TakeAuthority(std::string_view text, ClusterAccess& to) {
  const bool v6 = text.starts_with('[');
  const std::size_t bracket = v6 ? text.find(']') : 0;
  if (bracket == std::string_view::npos) return "the address has no closing ]";
  const std::size_t colon = std::min(text.find(':', bracket), text.size());
  if (v6 && colon != bracket + 1) return "expected host:port";
  to.host = v6 ? text.substr(1, bracket - 1) : text.substr(0, colon);
  if (to.host.empty()) return "the host is missing";
  if (v6 ? !HasOnly(to.host, ":.") : !IsHost(to.host)) return "the host is no name and no address";
  if (colon == text.size()) return {};
  const std::string_view port = text.substr(colon + 1);
  const char* last = port.data() + port.size();
  const auto [end, error] = std::from_chars(port.data(), last, to.port);
  if (error == std::errc() && end == last && to.port >= 1 && to.port <= 65535) return {};
  return "expected a port between 1 and 65535, not \"" + std::string(port) + "\"";
}

// As a URL; a path stands before every path of the API.
Result<void> ReadServer(const KubeconfigFields& cluster, ClusterAccess& to) {
  MUSTER_ASSIGN(std::string rest, cluster.NeededText("server"));
  to.tls = TakeScheme(rest, "https://");
  if (!to.tls && !TakeScheme(rest, "http://")) {
    return cluster.Bad("server", "expected https://host:port or http://host:port");
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  to.prefix = rest.substr(slash);
  while (to.prefix.ends_with('/')) to.prefix.pop_back();
  rest.resize(slash);
  const bool plain = HasOnly(to.prefix, "/-._~") && to.prefix.find("..") == std::string::npos;
  if (!plain || rest.find_first_of("?#@ \t\r\n") != std::string::npos) {
    return cluster.Bad("server", "expected https://host:port, with a plain path or none");
  }
  to.port = to.tls ? 443 : 80;
  const std::string problem = TakeAuthority(rest, to);
  if (!problem.empty()) return cluster.Bad("server", problem);
  return {};
}

// Of a server without TLS, whatever speaks of TLS would not act.
Result<void> ReadTrust(const KubeconfigFields& cluster, ClusterAccess& to) {
  MUSTER_ASSIGN(to.ca, cluster.Pem("certificate-authority"));
  MUSTER_ASSIGN(to.server_name, cluster.Text("tls-server-name"));
  MUSTER_ASSIGN(const bool insecure, cluster.Flag("insecure-skip-tls-verify"));
  to.verify = !insecure;
  const bool has_ca = !to.ca.text.empty() || !to.ca.file.empty();
  if (insecure && has_ca) {
    return cluster.Bad("insecure-skip-tls-verify",
                       "stands beside a certificate authority: one of them has to go");
  }
  if (!to.tls) {
    const std::string_view no_use = "is of no use without an https:// server";
    if (has_ca) return cluster.Bad("certificate-authority", no_use);
    if (insecure) return cluster.Bad("insecure-skip-tls-verify", no_use);
    if (!to.server_name.empty()) return cluster.Bad("tls-server-name", no_use);
  }
  if (to.server_name.empty()) {
    to.server_name = to.host;
  } else if (to.server_name.find(':') == std::string::npos ? !IsHost(to.server_name)
                                                           : !HasOnly(to.server_name, ":.")) {
    return cluster.Bad("tls-server-name", "is no name and no address");
  }
  return {};
}

Result<void> ReadCluster(const KubeconfigFields& cluster, ClusterAccess& to) {
  MUSTER_TRY(cluster.Only(
      // We never ask for a compressed answer.
      {"server", "certificate-authority", "certificate-authority-data", "tls-server-name",
       "insecure-skip-tls-verify", "disable-compression", "extensions"},
      {{"proxy-url", "is not supported: the API server has to be reached without a proxy"}},
      "is not a field of a cluster"));
  MUSTER_TRY(ReadServer(cluster, to));
  return ReadTrust(cluster, to);
}

// The part of the cluster that only a plugin reads is not passed on.
Result<void> CheckExtensions(const KubeconfigFields& cluster) {
  const YAML::Node list = cluster.Node("extensions");
  if (!list || !list.IsSequence()) return {};
  for (const YAML::Node& entry : list) {
    if (!entry.IsMap() || !entry["name"].IsScalar()) continue;
    if (entry["name"].Scalar() != "client.authentication.k8s.io/exec") continue;
    return cluster.Bad("extensions",
                       "client.authentication.k8s.io/exec is not supported: give the "
                       "plugin what it needs by `args` or `env`");
  }
  return {};
}

Result<ClusterAccess> ReadAccess(const Documents& files) {
  for (const KubeconfigFields& file : files) {
    const auto known = file.Only({"apiVersion", "kind", "preferences", "extensions", "clusters",
                                  "contexts", "users", "current-context"},
                                 {}, "is not a field of a kubeconfig");
    if (!known.ok()) return Error(known.error());
  }
  ClusterAccess to;
  MUSTER_ASSIGN(const std::string current, CurrentContext(files));
  MUSTER_ASSIGN(const KubeconfigFields context, FindNamed(files, "contexts", "context", current));
  MUSTER_TRY(context.Only({"cluster", "user", "namespace", "extensions"}, {},
                          "is not a field of a context"));
  MUSTER_ASSIGN(const std::string cluster_name, context.NeededText("cluster"));
  MUSTER_ASSIGN(const KubeconfigFields cluster,
                FindNamed(files, "clusters", "cluster", cluster_name));
  MUSTER_TRY(ReadCluster(cluster, to));
  MUSTER_ASSIGN(const std::string user_name, context.Text("user"));
  if (user_name.empty()) return to;
  MUSTER_ASSIGN(const KubeconfigFields user, FindNamed(files, "users", "user", user_name));
  MUSTER_TRY(ReadKubeconfigUser(user, to));
  if (to.exec.has_value() && to.exec->provide_cluster_info) MUSTER_TRY(CheckExtensions(cluster));
  return to;
}

// `prefix` and what is wrong, or the map of the whole file; nullopt for a file without any.
Result<std::optional<KubeconfigFields>> ReadDocument(const std::string& yaml,
                                                     const std::string& prefix,
                                                     const std::string& folder) {
  const YAML::Node root = YAML::Load(yaml);
  if (root.IsNull()) return std::optional<KubeconfigFields>();
  if (!root.IsMap()) {
    return Error{Code::kInvalidArgument, prefix + "kubeconfig: expected a map"};
  }
  return std::optional(KubeconfigFields(root, prefix, folder));
}

std::string FolderOf(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::absolute(path, unknown).parent_path().string();
}

Result<std::string> ReadKubeconfigFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  const bool is_empty = file && file.peek() == std::ifstream::traits_type::eof() && !file.bad();
  if (is_empty) return std::string();
  if (!file || !(text << file.rdbuf())) {
    return Error{Code::kNotFound, path + ": cannot be read"};
  }
  return std::move(text).str();
}

// The library ends by throwing, when it parses and when it is asked for what is not there.
template <class Read>
Result<ClusterAccess> Guarded(const std::string& prefix, Read read) {
  try {
    return read();
  } catch (const YAML::Exception& thrown) {
    return Error{Code::kInvalidArgument, prefix + "kubeconfig: " + thrown.what()};
  }
}

Result<ClusterAccess> LoadFiles(const std::vector<std::string>& paths, const std::string& origin) {
  Documents files;
  for (const std::string& path : paths) {
    MUSTER_ASSIGN(const std::string text, ReadKubeconfigFile(path));
    const std::string prefix = path + ": ";
    const auto add = [&]() -> Result<ClusterAccess> {
      MUSTER_ASSIGN(const std::optional<KubeconfigFields> file,
                    ReadDocument(text, prefix, FolderOf(path)));
      if (file.has_value()) files.push_back(*file);
      return ClusterAccess();
    };
    const auto added = Guarded(prefix, add);
    if (!added.ok()) return Error(added.error());
  }
  if (files.empty()) return Error{Code::kInvalidArgument, origin + ": is empty"};
  MUSTER_ASSIGN(ClusterAccess access, Guarded(origin + ": ", [&] { return ReadAccess(files); }));
  access.origin = origin;
  return access;
}

}  // namespace

Result<ClusterAccess> LoadKubeconfig(const std::string& path) {
  return LoadFiles({path}, path);
}

// As client-go's loading rules: a file named twice counts once.
Result<ClusterAccess> LoadKubeconfigList(const std::string& list) {
  std::vector<std::string> paths;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ':');) {
    std::error_code unknown;
    const bool there = std::filesystem::exists(part, unknown) || unknown;
    if (!part.empty() && there && std::ranges::find(paths, part) == paths.end()) {
      paths.push_back(part);
    }
  }
  if (paths.empty()) {
    return Error{Code::kNotFound, "KUBECONFIG: there is no file " + list};
  }
  return LoadFiles(paths, paths.size() == 1 ? paths.front() : "KUBECONFIG " + list);
}

Result<ClusterAccess> ParseKubeconfig(const std::string& yaml, const std::string& folder) {
  return Guarded("", [&]() -> Result<ClusterAccess> {
    MUSTER_ASSIGN(const std::optional<KubeconfigFields> file, ReadDocument(yaml, "", folder));
    if (!file.has_value()) {
      return Error{Code::kInvalidArgument, "kubeconfig: expected a map"};
    }
    return ReadAccess({*file});
  });
}

}  // namespace muster::app
