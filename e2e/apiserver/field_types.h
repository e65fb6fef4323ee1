// Values of the wrong type in fields that builtin_fields.h knows: a real server decodes metadata
// and built-in kinds into Go's structs, and what does not fit there is a 400. Null is as good as
// absent; in a list and under a key of a map, where nothing can be absent, it is the type's zero.
#pragma once

#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/json.h"
#include "e2e/apiserver/kinds.h"

namespace muster::e2e {

// Worded as encoding/json does, with the types of OpenAPI where it names those of Go.
[[nodiscard]] Refusal TakeTypedFields(const Kind& kind, Json& object);

}  // namespace muster::e2e
