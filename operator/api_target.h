// From a request of ports::Api to what goes on the wire, and what may be sent a second time. Pure.
#pragma once

#include <string>

#include "controllers/ports/api.h"
#include "operator/http_client.h"
#include "scheduler/base/result.h"

namespace muster::app {

// Method, path and query. An Error if a part could change the meaning of the path.
[[nodiscard]] Result<HttpCall> CallOf(ports::Request request);

// May `request` go out again when nobody knows whether the first one took effect? Reads, and
// writes that carry a resourceVersion, which the second time are refused by it (409: for the
// caller that is still "no answer"). Never a create: the pod might have been bound, deleted and
// made again in between, so a Binding is the caller's to judge.
[[nodiscard]] bool MayRepeat(const ports::Request& request);

}  // namespace muster::app
