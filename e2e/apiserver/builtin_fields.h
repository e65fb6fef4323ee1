// The fields of built-in kinds that act here, and of the metadata of all kinds, as OpenAPI v3
// schemas: for `kubectl explain`, and for the types that the server insists on.
#pragma once

#include "e2e/apiserver/json.h"
#include "e2e/apiserver/kinds.h"

namespace muster::e2e {

// Without apiVersion, kind and metadata. Of a custom kind nothing.
[[nodiscard]] Json BuiltinSchema(Builtin kind);
[[nodiscard]] Json MetaSchema();

}  // namespace muster::e2e
