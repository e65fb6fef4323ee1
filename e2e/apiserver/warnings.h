// The Warning headers of an answer, as kube-apiserver's recorder makes them: however much is wrong
// with an object, a client can still read the answer.
#pragma once

#include <string>
#include <vector>

namespace muster::e2e {

// The value of one header for each text, in order. An empty text, a repeat, and one that no header
// can carry (control characters) is left out; together they have at most 4,096 characters, or each
// is cut to 256, until that many are written.
[[nodiscard]] std::vector<std::string> WarningHeaders(const std::vector<std::string>& texts);

}  // namespace muster::e2e
