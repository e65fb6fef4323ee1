// What is served of each kind: the verbs on its objects and its subresources, for both forms of
// discovery. Pure.
#pragma once

#include <string>
#include <vector>

#include "e2e/apiserver/kinds.h"

namespace muster::e2e {

struct Subresource {
  std::string name;                  // "status".
  std::string group, version, kind;  // Of what is sent and answered.
  std::vector<std::string> verbs;
};

[[nodiscard]] std::vector<std::string> VerbsOf(const Kind& kind);
[[nodiscard]] std::vector<Subresource> SubresourcesOf(const Kind& kind);

}  // namespace muster::e2e
