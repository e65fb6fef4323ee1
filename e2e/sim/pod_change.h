// One change of a pod, as the API server made it.
#pragma once

#include <functional>
#include <optional>
#include <sstream>
#include <string>

#include "crds/pod.h"

namespace muster::e2e {

struct PodChange {
  std::optional<crds::Pod> before;  // None: it is new.
  crds::Pod now;                    // Of a deleted one, as it was last.
  bool deleted = false;
};

// What a checker says of a violation.
using Complain = std::function<void(const std::string& what)>;

// Texts and numbers, one after the other.
template <class... Parts>
[[nodiscard]] std::string Text(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

}  // namespace muster::e2e
