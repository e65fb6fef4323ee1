// Who may include whom, as data and as a check over the text of one file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::e2e {

// Violations of one file, each "path:line: <the include>". Empty for a folder without a row.
// `path` is relative to the root of the repository.
[[nodiscard]] std::vector<std::string> IncludeViolations(std::string_view path,
                                                         std::string_view text);

// Does some row speak of this file's folder?
[[nodiscard]] bool HasLayer(std::string_view path);

}  // namespace muster::e2e
