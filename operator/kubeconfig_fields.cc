#include "operator/kubeconfig_fields.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "operator/tls.h"

namespace muster::app {

KubeconfigFields::KubeconfigFields(const YAML::Node& map, std::string path, std::string folder)
    : map_(map), path_(std::move(path)), folder_(std::move(folder)) {}

// A path that ends in ": " is that of a file.
std::string KubeconfigFields::Path(std::string_view key) const {
  const bool is_root = path_.empty() || path_.ends_with(' ');
  return path_ + (is_root ? "" : ".") + std::string(key);
}

Error KubeconfigFields::Bad(std::string_view key, std::string_view what) const {
  return {Code::kInvalidArgument, Path(key) + ": " + std::string(what)};
}

Result<std::string> KubeconfigFields::Text(const std::string& key) const {
  const YAML::Node node = map_[key];
  if (!node || node.IsNull()) return std::string();
  if (!node.IsScalar()) return Bad(key, "expected a string");
  return node.Scalar();
}

Result<std::string> KubeconfigFields::NeededText(const std::string& key) const {
  MUSTER_ASSIGN(std::string text, Text(key));
  if (text.empty()) return Bad(key, "is missing");
  return text;
}

Result<bool> KubeconfigFields::Flag(const std::string& key) const {
  MUSTER_ASSIGN(const std::string text, Text(key));
  if (text.empty() || text == "false") return false;
  if (text != "true") return Bad(key, "expected true or false");
  return true;
}

Result<std::string> KubeconfigFields::File(const std::string& key) const {
  MUSTER_ASSIGN(const std::string text, Text(key));
  return FromFolder(folder_, text);
}

Result<PemSource> KubeconfigFields::Pem(const std::string& key) const {
  PemSource source;
  MUSTER_ASSIGN(source.file, File(key));
  MUSTER_ASSIGN(const std::string data, Text(key + "-data"));
  const Result<std::string> text = DecodeBase64(data);
  if (!text.ok()) return Bad(key + "-data", text.error().message);
  source.text = text.value();
  return source;
}

Result<std::vector<KubeconfigFields>> KubeconfigFields::Maps(const std::string& key) const {
  std::vector<KubeconfigFields> maps;
  const YAML::Node list = map_[key];
  if (!list || list.IsNull()) return maps;
  if (!list.IsSequence()) return Bad(key, "expected a list");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string path = Path(key) + "[" + std::to_string(i) + "]";
    if (!list[i].IsMap()) return Error{Code::kInvalidArgument, path + ": expected a map"};
    maps.emplace_back(list[i], path, folder_);
  }
  return maps;
}

Result<KubeconfigFields> KubeconfigFields::Map(const std::string& key) const {
  const YAML::Node node = map_[key];
  if (!node || !(node.IsMap() || node.IsNull())) return Bad(key, "expected a map");
  return KubeconfigFields(node, Path(key), folder_);
}

Result<void> KubeconfigFields::Only(std::initializer_list<std::string_view> known,
                                    std::initializer_list<RefusedKey> refused,
                                    std::string_view hint) const {
  for (const auto& entry : map_) {
    const std::string key = entry.first.Scalar();
    if (std::ranges::find(known, key) != known.end()) continue;
    const auto* const found = std::ranges::find(refused, key, &RefusedKey::key);
    if (found == refused.end()) return Bad(key, hint);
    const bool acts =
        !entry.second.IsNull() && (!entry.second.IsScalar() || !entry.second.Scalar().empty());
    if (acts) return Bad(key, found->why);
  }
  return {};
}

std::string FromFolder(const std::string& folder, const std::string& path) {
  if (path.empty() || folder.empty()) return path;
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

}  // namespace muster::app
