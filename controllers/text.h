// Small helpers for the texts that users read.
#pragma once

#include <string>
#include <string_view>

namespace muster::controllers {

// At most 1,024 bytes, what the API allows a condition's message and an event's note; a longer text
// is cut at a character and ends with " ...".
[[nodiscard]] std::string CutText(std::string_view text);

// "1 node", "4 nodes".
[[nodiscard]] std::string Plural(std::size_t count, std::string_view noun);

}  // namespace muster::controllers
