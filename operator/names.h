// Names as the API server takes them (RFC 1123): whoever writes one into a flag learns what is
// wrong with it at the start, not from a request that fails later. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster::app {

// Empty, or what is wrong. A label is the name of a namespace; a subdomain that of most others.
[[nodiscard]] std::string ProblemOfLabel(std::string_view name);
[[nodiscard]] std::string ProblemOfSubdomain(std::string_view name);
// The key of a label: a name, with a subdomain and '/' before it or without.
[[nodiscard]] std::string ProblemOfLabelKey(std::string_view key);

}  // namespace muster::app
