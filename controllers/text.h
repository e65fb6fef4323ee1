// Small helpers for the texts that users read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::controllers {

// At most 1,024 bytes, what the API allows a condition's message and an event's note; a longer text
// is cut at a character and ends with " ...". `reserved`: bytes of that for what follows.
[[nodiscard]] std::string CutText(std::string_view text, std::size_t reserved = 0);
// The same, at most `most` bytes: 4 or more.
[[nodiscard]] std::string CutTextTo(std::string_view text, std::size_t most);

// "1 node", "4 nodes".
[[nodiscard]] std::string Plural(std::size_t count, std::string_view noun);

// As Go's time.ParseDuration reads it, without the parts that are zero: "15s", "1m30s", "500ms".
[[nodiscard]] std::string DurationText(std::int64_t ms);

}  // namespace muster::controllers
