// The maps of a kubeconfig, each with the path that messages name. For kubeconfig*.cc only: what
// yaml-cpp throws passes through here, and ends in kubeconfig.cc.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "operator/cluster_access.h"
#include "scheduler/base/result.h"

namespace muster::app {

// A key that a kubeconfig may have and we do not act on, and what to do about it.
struct RefusedKey {
  std::string_view key, why;
};

class KubeconfigFields {
 public:
  // `path`: "clusters[0].cluster", or "" for a whole file; `folder`: of its file.
  KubeconfigFields(const YAML::Node& map, std::string path, std::string folder);

  [[nodiscard]] std::string Path(std::string_view key) const;
  [[nodiscard]] Error Bad(std::string_view key, std::string_view what) const;
  [[nodiscard]] YAML::Node Node(const std::string& key) const { return map_[key]; }

  // "" if it is absent or null.
  [[nodiscard]] Result<std::string> Text(const std::string& key) const;
  [[nodiscard]] Result<std::string> NeededText(const std::string& key) const;
  [[nodiscard]] Result<bool> Flag(const std::string& key) const;
  // The path of a file.
  [[nodiscard]] Result<std::string> File(const std::string& key) const;
  // `key`-data, and `key` as a file.
  [[nodiscard]] Result<PemSource> Pem(const std::string& key) const;
  // A list of maps, "" with its path added; none if it is absent or null.
  [[nodiscard]] Result<std::vector<KubeconfigFields>> Maps(const std::string& key) const;
  // The map under `key`; an empty one for null.
  [[nodiscard]] Result<KubeconfigFields> Map(const std::string& key) const;

  // Every key is one of `known`, or has no value and is one of `refused`. `hint` is the error of
  // any other.
  [[nodiscard]] Result<void> Only(std::initializer_list<std::string_view> known,
                                  std::initializer_list<RefusedKey> refused,
                                  std::string_view hint) const;

 private:
  const YAML::Node map_;  // Never assigned: that would change the document.
  const std::string path_, folder_;
};

// `path` as seen from `folder`; an absolute one, and "", stay as they are.
[[nodiscard]] std::string FromFolder(const std::string& folder, const std::string& path);

// Of one entry of `users`. `path` is that of its map.
[[nodiscard]] Result<void> ReadKubeconfigUser(const KubeconfigFields& user, ClusterAccess& to);

}  // namespace muster::app
