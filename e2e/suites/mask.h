// Comparing what a command printed with what it should print, to the character but for what is
// different on every run.
#pragma once

#include <string>

namespace muster::e2e {

// Ages ("2s", "3m2s"), durations ("2 s", "54 us"), times, UIDs, ports and the blanks at the end of
// a line.
[[nodiscard]] std::string Mask(const std::string& text);

// "" when `seen` is `expected`, both masked; else the first line that differs, both ways. A line
// " ..." of `expected` stands for any number of lines.
[[nodiscard]] std::string Difference(const std::string& expected, const std::string& seen);

}  // namespace muster::e2e
