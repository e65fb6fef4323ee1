// The Binding of a pod (pods/binding and the legacy path bindings): the one write that gives a pod
// its node. The node is not looked at, as on a real server: that is the scheduler's business.
#pragma once

#include "e2e/apiserver/backend.h"
#include "e2e/apiserver/request.h"

namespace muster::e2e {

[[nodiscard]] HttpResponse BindPod(Backend& backend, const Target& target,
                                   const HttpRequest& request);

}  // namespace muster::e2e
