// JSON by appending text: for what is written once per pod, where a tree of values would cost more
// than all else that is done for the pod.
#pragma once

#include <string>
#include <string_view>

namespace muster::crds {

// `text` as a JSON string, quotes included. Bytes that are no UTF-8 become U+FFFD.
void AppendQuoted(std::string& out, std::string_view text);

}  // namespace muster::crds
