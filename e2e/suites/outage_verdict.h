// What has to be so in the end, after an outage: judged from what the API server says alone. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::e2e {

struct OutageEnd {
  struct Pod {
    std::string name = {}, uid = {}, node = {}, phase = {};
    int gpus = 0;
    bool terminating = false;
  };
  struct Gang {
    std::string name = {};
    std::string phase = {};              // As its status says.
    bool fits = true;                    // Else there is room for no member of it.
    std::set<std::string> created = {};  // The uids of its members as they were made.
    std::vector<Pod> pods = {};          // Its members as they are.
  };
  std::vector<Gang> gangs;
  std::set<std::string> nodes;
  // The nodes that accepted Bindings named, by the pods' uids.
  std::map<std::string, std::multiset<std::string>> accepted;
  bool pages_are_empty = false;
};

// "": every gang that fits runs whole, and says so, on nodes that exist and that hold no more than
// they have, no other has a node, no member was lost, each was bound once, and no journal entry is
// left.
[[nodiscard]] std::string WrongIn(const OutageEnd& end);

}  // namespace muster::e2e
