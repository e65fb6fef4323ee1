// What the API server looks at in every object of one kind or another: whole numbers, and the pod
// template of a workload.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/apiserver/errors.h"

namespace muster::e2e {

// A field of `spec` that is there is an integer, and not below `least` (0 or 1).
void CheckNumber(const Json& spec, const char* field, std::int64_t least,
                 std::vector<FieldError>& errors);

// The parts of a workload that may have any form, before they are used; spec.template is there
// afterwards.
[[nodiscard]] Refusal TakeTemplate(Json& workload);
// Of spec.template.spec. Returns its restartPolicy, "" = none.
std::string CheckTemplate(const Json& spec, std::vector<FieldError>& errors);
void CheckSelects(const Json& selector, const Json* template_labels,
                  std::vector<FieldError>& errors);

}  // namespace muster::e2e
