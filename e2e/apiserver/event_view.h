// One store of events, two APIs: the stored form is core/v1, and this maps it to events.k8s.io/v1
// and back (note = message, regarding = involvedObject, reportingController = reportingComponent).
#pragma once

#include <string>

#include "e2e/apiserver/json.h"
#include "e2e/apiserver/kinds.h"
#include "e2e/apiserver/store.h"

namespace muster::e2e {

// True: the kind's wire form differs from the stored one.
[[nodiscard]] bool HasOwnView(const Kind& kind);
// The stored form as the kind's API shows it, and the reverse.
[[nodiscard]] Json ToView(const Kind& kind, const Json& stored);
[[nodiscard]] Json FromView(const Kind& kind, Json shown);
// The text of the object in the kind's API.
[[nodiscard]] std::string TextOf(const Kind& kind, const Version& version);

}  // namespace muster::e2e
