// Counts anew, from the API server's objects and by walking all of them, what the message of a
// waiting gang says in numbers; by the same names as NumbersIn (reason_text.h). Knows only gangs
// whose members all ask for the same.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "e2e/sim/reason_text.h"
#include "e2e/sim/shadow.h"

namespace muster::e2e {

// Whether pods that a page names and that are not bound yet count as placed: an operator knows when
// it has given them up, the API server does not.
enum class Promises : std::uint8_t { kCount, kDoNot };

// Who is where, at one moment.
class Placements {
 public:
  struct Placed {
    const crds::Pod* pod = nullptr;
    std::string node, queue, gang;  // gang: "" = a pod by itself.
    Amounts amounts;
  };

  // Holds on to the objects of the shadow until they change.
  Placements(const Shadow& shadow, Promises promises);

  [[nodiscard]] const std::vector<Placed>& all() const { return all_; }
  [[nodiscard]] const std::vector<const Placed*>& On(const std::string& node) const;
  [[nodiscard]] bool Has(const std::string& uid) const { return uids_.contains(uid); }

 private:
  void Add(const crds::Pod& pod, const std::string& node, const std::string& queue);

  std::vector<Placed> all_;
  std::set<std::string> uids_;
  std::map<std::string, std::vector<const Placed*>> on_;
};

// "code X" is 1 if a gang may be told the reason X, and absent if nothing here can tell.
[[nodiscard]] Numbers FactsOf(const Shadow& shadow, const Placements& placements,
                              const crds::PodGroup& group);

}  // namespace muster::e2e
