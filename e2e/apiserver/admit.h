// What differs from kind to kind when an object is made or changed: defaults, validation, fields
// that cannot change. Pods have modules of their own; custom kinds follow their schema.
#pragma once

#include <string>
#include <vector>

#include "e2e/apiserver/backend.h"
#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/meta.h"
#include "e2e/apiserver/request.h"

namespace muster::e2e {

struct Admission {
  WriteOptions options;
  bool keep_status = false;           // Objects of a cluster file keep the status they come with.
  std::vector<std::string> warnings;  // For Warning headers.
};

[[nodiscard]] Refusal AdmitNew(const Backend& backend, const Kind& kind, Json& object,
                               Admission& admission);
[[nodiscard]] Refusal AdmitChange(const Kind& kind, const Json& old, Json& next,
                                  const UpdateRules& rules, Admission& admission);

}  // namespace muster::e2e
