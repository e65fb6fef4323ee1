// What the API server and its built-in admission make of a new pod: defaults, requests from limits,
// priority from the PriorityClass, tolerations, QoS, phase and the SchedulingGated condition.
#pragma once

#include <string>
#include <vector>

#include "e2e/apiserver/backend.h"
#include "e2e/apiserver/errors.h"

namespace muster::e2e {

// `keep_status`: the pod of a cluster file may come with a status (running already).
[[nodiscard]] Refusal AdmitNewPod(const Backend& backend, Json& pod, bool keep_status);
[[nodiscard]] std::string QosClass(const Json& pod);

// What templates have in common with pods. `at`: where the spec stands, for messages.
[[nodiscard]] std::vector<FieldError> CheckPodSpec(const Json& spec, const std::string& at);
void DefaultPodSpec(Json& spec);

}  // namespace muster::e2e
