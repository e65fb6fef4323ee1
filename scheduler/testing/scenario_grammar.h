// What may stand in a line of a scenario. The world behind it takes every word for right.
#pragma once

#include <string>
#include <vector>

namespace muster::scheduler::testing {

// Of the words behind `command`, one that exists: "", or which of them cannot be there.
[[nodiscard]] std::string LineProblem(const std::string& command,
                                      const std::vector<std::string>& words);

}  // namespace muster::scheduler::testing
