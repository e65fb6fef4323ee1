// The one request that kubectl sends as Protobuf and that users of this server need: `kubectl
// create namespace`. It does not fall back to JSON when it is refused (seen with 1.32 to 1.36).
// Pure; reads namespaces alone, of them what a command line can say, and takes nothing that it
// does not know for absent. Format: k8s.io/apimachinery/pkg/runtime/serializer/protobuf.
#pragma once

#include <optional>
#include <string_view>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

// nullopt: something else, or more than is read here.
[[nodiscard]] std::optional<Json> NamespaceFromProtobuf(std::string_view body);

}  // namespace muster::e2e
