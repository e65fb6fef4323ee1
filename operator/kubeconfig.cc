#include "operator/kubeconfig.h"

#include <charconv>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <utility>

#include <yaml-cpp/yaml.h>

namespace muster::app {
namespace {

Error Bad(const std::string& path, const std::string& what) {
  return {Code::kInvalidArgument, path + ": " + what};
}

std::string Join(std::string path, std::string_view key) {
  if (!path.empty()) path += '.';
  return path.append(key);
}

// A scalar under `key`; missing, or something else than a scalar, is an Error.
Result<std::string> Text(const YAML::Node& map, const std::string& path, const std::string& key) {
  const YAML::Node node = map[key];
  if (!node) return Bad(Join(path, key), "is missing");
  if (!node.IsScalar()) return Bad(Join(path, key), "expected a string");
  return node.Scalar();
}

// `hint` is the error of the first key that is not known.
Result<void> OnlyKeys(const YAML::Node& map, const std::string& path,
                      std::initializer_list<std::string_view> known, const std::string& hint) {
  for (const auto& entry : map) {
    const std::string key = entry.first.Scalar();
    bool found = false;
    for (const std::string_view name : known) found = found || name == key;
    if (!found) return Bad(Join(path, key), hint);
  }
  return {};
}

struct Named {
  YAML::Node body;
  std::string path;  // "clusters[0].cluster"
};

// The entry of `list` with this name, and the map that it holds under `kind`.
Result<Named> FindNamed(const YAML::Node& root, const std::string& list, const std::string& kind,
                        const std::string& name) {
  const YAML::Node entries = root[list];
  if (!entries || !entries.IsSequence()) return Bad(list, "expected a list");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string path = list + "[" + std::to_string(i) + "]";
    if (!entries[i].IsMap()) return Bad(path, "expected a map");
    MUSTER_ASSIGN(const std::string entry_name, Text(entries[i], path, "name"));
    if (entry_name != name) continue;
    const YAML::Node body = entries[i][kind];
    if (!body || !(body.IsMap() || body.IsNull())) return Bad(Join(path, kind), "expected a map");
    return Named{body, Join(path, kind)};
  }
  return Bad(list, "no entry has the name \"" + name + "\"");
}

Result<std::int32_t> ParsePort(const std::string& text, const std::string& path) {
  std::int32_t port = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, port);
  if (error != std::errc() || end != last || port < 1 || port > 65535) {
    return Bad(path, "expected a port between 1 and 65535, not \"" + text + "\"");
  }
  return port;
}

// http://host, http://host:port, http://[v6]:port, with or without one "/" at the end.
Result<Endpoint> ParseServer(const std::string& server, const std::string& path) {
  constexpr std::string_view kHttp = "http://";
  if (server.starts_with("https://")) {
    return Bad(
        path,
        "https:// is not supported yet, TLS comes in a later version; use an http:// server, "
        "for example the one of muster-local or of `kubectl proxy`");
  }
  if (!server.starts_with(kHttp)) return Bad(path, "expected http://host:port");
  std::string rest = server.substr(kHttp.size());
  if (rest.ends_with('/')) rest.pop_back();
  if (rest.empty() || rest.find_first_of("/?#@ \t\r\n") != std::string::npos) {
    return Bad(path, "expected http://host:port and nothing else");
  }
  Endpoint to{.host = rest, .port = 80, .token = ""};
  const std::size_t bracket = rest.starts_with('[') ? rest.find(']') : 0;
  if (bracket == std::string::npos) return Bad(path, "the address has no closing ]");
  const std::size_t colon = rest.find(':', bracket);
  if (colon != std::string::npos) {
    MUSTER_ASSIGN(to.port, ParsePort(rest.substr(colon + 1), path));
    to.host = rest.substr(0, colon);
  }
  if (bracket > 0) to.host = rest.substr(1, bracket - 1);
  if (to.host.empty()) return Bad(path, "the host is missing");
  return to;
}

// A user without any credential is anonymous: the API server decides what that is worth.
Result<std::string> ReadToken(const YAML::Node& root, const std::string& user) {
  MUSTER_ASSIGN(const Named named, FindNamed(root, "users", "user", user));
  if (named.body.IsNull()) return std::string();
  MUSTER_TRY(OnlyKeys(named.body, named.path, {"token", "extensions"},
                      "is not supported yet; the one credential of this version is `token`"));
  if (!named.body["token"]) return std::string();
  MUSTER_ASSIGN(std::string token, Text(named.body, named.path, "token"));
  for (const char c : token) {
    if (c <= ' ' || c == 0x7f) return Bad(named.path + ".token", "holds a space or line end");
  }
  return token;
}

// The server is looked at before what else the cluster has: with https:// the text about TLS helps
// more than one about certificate-authority.
Result<Endpoint> Read(const YAML::Node& root) {
  if (!root.IsMap()) return Bad("kubeconfig", "expected a map");
  MUSTER_TRY(OnlyKeys(root, "",
                      {"apiVersion", "kind", "preferences", "extensions", "clusters", "contexts",
                       "users", "current-context"},
                      "is not a field of a kubeconfig"));
  MUSTER_ASSIGN(const std::string current, Text(root, "", "current-context"));
  MUSTER_ASSIGN(const Named context, FindNamed(root, "contexts", "context", current));
  MUSTER_TRY(OnlyKeys(context.body, context.path, {"cluster", "user", "namespace", "extensions"},
                      "is not a field of a context"));
  MUSTER_ASSIGN(const std::string cluster_name, Text(context.body, context.path, "cluster"));
  MUSTER_ASSIGN(const Named cluster, FindNamed(root, "clusters", "cluster", cluster_name));
  MUSTER_ASSIGN(const std::string server, Text(cluster.body, cluster.path, "server"));
  MUSTER_ASSIGN(Endpoint to, ParseServer(server, cluster.path + ".server"));
  MUSTER_TRY(OnlyKeys(cluster.body, cluster.path, {"server", "extensions"},
                      "is not supported yet: a cluster is its http:// `server` alone"));
  const YAML::Node user = context.body["user"];
  if (user && !(user.IsScalar() && user.Scalar().empty())) {
    MUSTER_ASSIGN(const std::string user_name, Text(context.body, context.path, "user"));
    MUSTER_ASSIGN(to.token, ReadToken(root, user_name));
  }
  return to;
}

}  // namespace

Result<Endpoint> LoadKubeconfig(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  const bool is_empty = file && file.peek() == std::ifstream::traits_type::eof() && !file.bad();
  if (is_empty) return Error{Code::kInvalidArgument, path + ": is empty"};
  if (!file || !(text << file.rdbuf())) {
    return Error{Code::kNotFound, path + ": cannot be read"};
  }
  Result<Endpoint> endpoint = ParseKubeconfig(text.str());
  if (!endpoint.ok()) {
    return Error{endpoint.error().code, path + ": " + endpoint.error().message};
  }
  return endpoint;
}

Result<Endpoint> ParseKubeconfig(const std::string& yaml) {
  try {
    return Read(YAML::Load(yaml));
  } catch (const YAML::Exception& thrown) {
    return Bad("kubeconfig", thrown.what());
  }
}

}  // namespace muster::app
