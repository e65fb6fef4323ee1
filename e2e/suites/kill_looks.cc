#include "e2e/suites/kill_looks.h"

namespace muster::e2e {

std::string Counted(const std::string& what, std::int64_t count) {
  return what + " " + std::to_string(count);
}

NodeByUid BoundOf(const std::vector<Member>& members) {
  NodeByUid bound;
  for (const Member& member : members) {
    if (!member.node.empty() && !member.terminating) bound[member.uid] = member.node;
  }
  return bound;
}

std::set<std::string> FirstNodes() {
  std::set<std::string> nodes;
  for (int i = 1; i <= kMembers; ++i) nodes.insert("n" + std::to_string(i));
  return nodes;
}

}  // namespace muster::e2e
