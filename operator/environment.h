// The environment of the process as a value: who needs a variable takes it from here, and tests
// make their own.
#pragma once

#include <map>
#include <string>

namespace muster::app {

using Environment = std::map<std::string, std::string>;

// As it was when the process started; nothing here changes it.
[[nodiscard]] Environment ProcessEnvironment();

// "" if it is not set.
[[nodiscard]] std::string ValueOf(const Environment& environment, const std::string& name);

}  // namespace muster::app
