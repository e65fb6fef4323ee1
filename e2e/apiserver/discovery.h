// What a client asks before it asks for objects: versions, groups and resources, health, and the
// OpenAPI v3 documents that kubectl apply and create insist on. Derived from the table of kinds.
#pragma once

#include <optional>

#include "e2e/apiserver/kinds.h"
#include "e2e/apiserver/server.h"

namespace muster::e2e {

// Nothing: the path is none of these.
[[nodiscard]] std::optional<HttpResponse> AnswerDiscovery(const KindTable& kinds,
                                                          const HttpRequest& request);

}  // namespace muster::e2e
