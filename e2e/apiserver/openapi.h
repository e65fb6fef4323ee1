// OpenAPI v3: the index, and one document per group and version with an operation for each verb on
// each kind. kubectl looks for x-kubernetes-group-version-kind and the parameter fieldValidation;
// `kubectl explain` reads the schemas, which of built-in kinds hold what acts here.
#pragma once

#include <string>
#include <string_view>

#include "e2e/apiserver/json.h"
#include "e2e/apiserver/kinds.h"

namespace muster::e2e {

// "api/v1", "apis/muster.dev/v1alpha1".
[[nodiscard]] std::string OpenApiPath(const Kind& kind);
[[nodiscard]] Json OpenApiIndex(const KindTable& kinds);
// Null: no kind is served there.
[[nodiscard]] Json OpenApiDocument(const KindTable& kinds, std::string_view path);

}  // namespace muster::e2e
