// Loads files into the server: the CRDs of a folder, which makes their kinds servable, and the
// objects of a cluster file, as they stand there. An error is a text that names file and object.
#pragma once

#include <string>

#include "e2e/apiserver/backend.h"

namespace muster::e2e {

[[nodiscard]] std::string LoadCrds(Backend& backend, const std::string& folder);
[[nodiscard]] std::string LoadObjects(Backend& backend, const std::string& file);
// One definition; the error names no file.
[[nodiscard]] std::string AddCrd(Backend& backend, Json definition);

}  // namespace muster::e2e
