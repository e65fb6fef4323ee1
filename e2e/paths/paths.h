// Where this checkout and its build are. Alone in its library: what asks for it is compiled alike
// in every checkout, so ccache serves all of them.
#pragma once

#include <string>

namespace muster::e2e {

[[nodiscard]] std::string SourceDir();
[[nodiscard]] std::string BinaryDir();
[[nodiscard]] std::string CrdsFolder();  // That of this checkout.

}  // namespace muster::e2e
