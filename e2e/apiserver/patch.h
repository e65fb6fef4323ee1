// The three kinds of PATCH that are served: JSON Patch, merge patch (RFC 7386) and, for built-in
// kinds, strategic merge, where lists that have a merge key merge by it.
#pragma once

#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/kinds.h"
#include "e2e/apiserver/server.h"

namespace muster::e2e {

// 415 if the kind cannot be patched in this form.
[[nodiscard]] Refusal CheckPatchType(const Kind& kind, const HttpRequest& request);
// `object` with the body of the request, which is of a form that is served, applied to it.
[[nodiscard]] Outcome<Json> ApplyPatch(const Json& object, const HttpRequest& request);

}  // namespace muster::e2e
