// What became of hostile objects: what went wrong, and how many of them ended in which way.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster::e2e {

struct HostileVerdict {
  std::vector<std::string> wrong;  // Empty: as it must be.
  std::map<std::string, std::int64_t> ends;
};

}  // namespace muster::e2e
