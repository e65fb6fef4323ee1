// House rules that no compiler knows, each a function of one file. A violation reads
// "path:line: <what and what instead>".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::e2e {

using Violations = std::vector<std::string>;

// Words that a folder may not use, with what to use instead (determinism of the core, one place
// for locks and for catch). Comments and string literals are not looked at.
[[nodiscard]] Violations BannedWords(std::string_view path, std::string_view text);
// At most 400 lines (headers 300, tests 600); shell scripts and YAML are free.
[[nodiscard]] Violations TooLong(std::string_view path, std::string_view text);
// "TODO(#12): text." with an issue number, "NOLINT(check): reason" with both.
[[nodiscard]] Violations BadMarks(std::string_view path, std::string_view text);
// Headers start with a comment and have #pragma once.
[[nodiscard]] Violations BadHeader(std::string_view path, std::string_view text);
// Paths in backquotes that end in a known suffix and do not exist in the repository.
[[nodiscard]] Violations MissingPaths(std::string_view path, std::string_view text);

}  // namespace muster::e2e
