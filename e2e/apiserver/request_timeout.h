// The time limit that a request brings along.
#pragma once

#include <chrono>
#include <string>

namespace muster::e2e {

// "5s", "300ms", "1m", "5" (seconds): what clients send in `timeout`. At most 60 s, which is also
// the server's own limit on a request that brings none, or one that cannot be read.
[[nodiscard]] std::chrono::milliseconds ParseTimeout(const std::string& text);

}  // namespace muster::e2e
