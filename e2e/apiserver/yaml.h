// YAML manifests to JSON documents, with the plain scalars typed as Kubernetes' clients do. Anchors
// and aliases are refused: no manifest needs them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "scheduler/base/result.h"

namespace muster::e2e {

// Every document of the text; empty ones are left out. An error names the line.
[[nodiscard]] Result<std::vector<nlohmann::json>> ReadYaml(const std::string& text);
// The same of a file; an error names it.
[[nodiscard]] Result<std::vector<nlohmann::json>> ReadYamlFile(const std::string& path);

}  // namespace muster::e2e
