// What a client asks before it asks for objects: versions, groups and resources, health, and the
// OpenAPI v3 documents that kubectl apply and create insist on. Derived from the table of kinds.
#pragma once

#include <optional>
#include <string_view>

#include "e2e/apiserver/kinds.h"
#include "e2e/apiserver/server.h"

namespace muster::e2e {

// Nothing: the path is none of these.
[[nodiscard]] std::optional<HttpResponse> AnswerDiscovery(const KindTable& kinds,
                                                          std::string_view path);

}  // namespace muster::e2e
