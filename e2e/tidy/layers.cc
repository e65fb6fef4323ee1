#include "e2e/tidy/layers.h"

#include <algorithm>
#include <cstddef>
#include <sstream>

#include "e2e/tidy/tree.h"

namespace muster::e2e {
namespace {

struct Layer {
  std::string_view folder;
  std::vector<std::string_view> may_include;  // Folders of ours, by prefix; itself is implied.
};

// The first row whose folder is a prefix of the file's path counts.
const std::vector<Layer>& Layers() {
  static const std::vector<Layer> layers = {
      {"scheduler/base/", {}},
      {"scheduler/model/", {"scheduler/base/"}},
      {"scheduler/framework/", {"scheduler/base/", "scheduler/model/"}},
      // A plugin has no header, so nothing can include it; its own folder is not implied.
      {"scheduler/plugins/", {"scheduler/base/", "scheduler/model/", "scheduler/framework/"}},
      {"scheduler/solve/", {"scheduler/base/", "scheduler/model/", "scheduler/framework/"}},
      {"scheduler/testing/",
       {"scheduler/base/", "scheduler/model/", "scheduler/framework/", "scheduler/solve/"}},
      {"crds/", {"scheduler/base/"}},
      {"controllers/",
       {"scheduler/base/", "scheduler/model/", "scheduler/framework/", "scheduler/solve/",
        "crds/"}},
      {"operator/",
       {"scheduler/base/", "scheduler/model/", "scheduler/framework/", "scheduler/solve/", "crds/",
        "controllers/"}},
      {"e2e/", {"scheduler/", "crds/", "controllers/", "operator/"}},
  };
  return layers;
}

// A third-party header, by prefix, and the files that may include it, by prefix. One translation
// unit each, since such a header costs 1 to 6 s of compile time.
struct ThirdParty {
  std::string_view header;
  std::vector<std::string_view> files;
};

const std::vector<ThirdParty>& ThirdParties() {
  static const std::vector<ThirdParty> parties = {
      {"simdjson", {"crds/json_reader", "crds/decode_", "crds/list"}},
      {"nlohmann/", {"crds/encode_", "crds/patch", "operator/explain_json", "e2e/"}},
      {"httplib",
       {"operator/http_client", "operator/http_server", "operator/watch_stream",
        "e2e/apiserver/http_front", "e2e/harness/client", "e2e/demo/", "e2e/suites/",
        "e2e/bench/"}},
      {"yaml-cpp/", {"operator/config.", "operator/kubeconfig", "e2e/"}},
      {"openssl/", {"operator/tls", "operator/testing/"}},
      {"spdlog/", {"operator/logging"}},
      {"CLI/", {"operator/cli", "e2e/cli/"}},
      {"prometheus/", {"operator/metrics."}},
      {"grpc", {"operator/rpc/explain_service"}},
      {"sys/", {"operator/", "e2e/"}},
      {"netinet/", {"operator/", "e2e/"}},
      {"arpa/", {"operator/", "e2e/"}},
  };
  return parties;
}

const Layer* LayerOf(std::string_view path) {
  for (const Layer& layer : Layers()) {
    if (path.starts_with(layer.folder)) return &layer;
  }
  return nullptr;
}

bool OwnAllowed(std::string_view path, const Layer& layer, std::string_view target) {
  if (BeginsWithOne(target, layer.may_include)) return true;
  // A core test may build its input with scheduler/testing.
  if (IsTest(path) && path.starts_with("scheduler/") && target.starts_with("scheduler/testing/")) {
    return true;
  }
  return layer.folder != "scheduler/plugins/" && target.starts_with(layer.folder);
}

bool ThirdAllowed(std::string_view path, std::string_view target) {
  if (target.find_first_of("/.") == std::string_view::npos) return true;  // Standard library.
  if (target == "unistd.h" || target == "signal.h" || target == "fcntl.h" || target == "poll.h" ||
      target == "spawn.h") {
    return path.starts_with("operator/") || path.starts_with("e2e/");
  }
  if (IsTest(path) || path.starts_with("scheduler/testing/")) {
    if (target.starts_with("gtest/") || target.starts_with("rapidcheck")) return true;
    // Tests read YAML and JSON to compare with.
    if (!path.starts_with("scheduler/") && !path.starts_with("controllers/")) return true;
  }
  return std::any_of(ThirdParties().begin(), ThirdParties().end(), [&](const ThirdParty& party) {
    return target.starts_with(party.header) && BeginsWithOne(path, party.files);
  });
}

}  // namespace

bool HasLayer(std::string_view path) {
  return LayerOf(path) != nullptr;
}

std::vector<std::string> IncludeViolations(std::string_view path, std::string_view text) {
  std::vector<std::string> found;
  const Layer* layer = LayerOf(path);
  if (layer == nullptr) return found;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    constexpr std::string_view kInclude = "#include ";
    if (!line.starts_with(kInclude)) continue;
    const std::size_t end = line.find_first_of("\">", kInclude.size() + 1);
    if (end == std::string::npos) continue;
    const std::string target = line.substr(kInclude.size() + 1, end - kInclude.size() - 1);
    const bool own = line[kInclude.size()] == '"';
    if (own ? OwnAllowed(path, *layer, target) : ThirdAllowed(path, target)) continue;
    found.push_back(std::string(path) + ":" + std::to_string(number) + ": " + line);
  }
  return found;
}

}  // namespace muster::e2e
