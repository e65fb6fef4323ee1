// Texts of other people inside one line of ours: quoted, so that none can end its line or forge
// what follows. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster::app {

// As a JSON string, with its quotes. Bytes that are no UTF-8 become U+FFFD: a reader of JSON
// refuses them.
void AppendQuoted(std::string& out, std::string_view text);
[[nodiscard]] std::string Quoted(std::string_view text);

}  // namespace muster::app
