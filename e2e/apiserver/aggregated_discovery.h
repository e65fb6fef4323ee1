// Discovery in one document for all groups, apidiscovery.k8s.io: what kubectl asks for first, so
// that it need not ask for each group. Pure.
#pragma once

#include <string>
#include <string_view>

#include "e2e/apiserver/kinds.h"

namespace muster::e2e {

// The version of the group that the Accept header asks for, "v2" or "v2beta1"; "" = the older form.
[[nodiscard]] std::string AggregatedVersion(std::string_view accept);

// Of the core group, or of all others.
[[nodiscard]] std::string AggregatedDiscovery(const KindTable& kinds, bool core,
                                              const std::string& version);

}  // namespace muster::e2e
