// The rare turns that Muster takes, told from what it sends and from what the API server holds: a
// campaign has to have met each of them (minimums.h). It judges nothing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "controllers/manager.h"
#include "crds/binding_journal.h"
#include "e2e/sim/minimums.h"
#include "e2e/sim/shadow.h"
#include "e2e/sim/sim_loop.h"
#include "e2e/sim/wire.h"

namespace muster::e2e {

class Marks {
 public:
  Marks(const SimLoop& loop, const Shadow& shadow) : loop_(loop), shadow_(shadow) {}

  void OnArrival(const Arrival& arrival);
  void OnPod(const crds::Pod* before, const crds::Pod& now, bool deleted);
  void OnListedAgain() { Mark("relist after 410"); }
  // A life begins: it knows nothing of the failures before.
  void OnLife() { gangs_.clear(); }
  // It has just taken over what stands on the pages.
  void OnTakenOver();
  // The API server was restored to an older state.
  void BeginAnew();
  void OnFatal(std::string_view why, std::int64_t bindings_under_way);
  // Once a second, at the leader: one gang that waits. `life` tells one leader from the next.
  void Look(const controllers::Manager& leader, std::int64_t life);

  void Mark(const std::string& what) { ++counts_[what]; }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  using EntryName = std::pair<std::string, std::uint64_t>;  // UID of the gang, id.
  struct Seen {
    bool abandon = false;
    bool inherited = false;  // From a former leader, and not all of it was bound then.
    std::int32_t min_member = 0;
    std::set<std::string> pods;  // UIDs.
  };
  using Page = std::map<EntryName, Seen>;
  // Of a gang, by one leader.
  struct Attempts {
    std::int32_t failures = 0;
    std::int64_t left_ms = 0;  // When the last entry of it left its page.
  };
  struct Sample {
    std::int64_t life = 0, changes = 0;
    std::int32_t attempts = 0;
  };

  void OnPage(const crds::BindingJournal& page);
  void OnChanged(const EntryName& name, Seen& seen, const crds::JournalEntry& now);
  void OnAbandoned(const EntryName& name, const Seen& seen, const crds::JournalEntry& now);
  void OnLeft(const EntryName& name, const Seen& seen);
  void OnRead(const Arrival& arrival);
  void OnBinding(const Arrival& arrival);
  [[nodiscard]] std::int64_t BoundOf(const Seen& seen) const;

  const SimLoop& loop_;
  const Shadow& shadow_;
  Counts counts_;
  std::map<std::string, Page> pages_;           // By the page's name.
  std::map<std::string, Attempts> gangs_;       // By UID.
  std::map<std::string, std::int32_t> denied_;  // Denials, by the pod's UID.
  std::int64_t changes_ = 0;                    // Of what may wake a gang.
  std::map<Shadow::Name, Sample> samples_;
  Shadow::Name last_looked_at_;
};

}  // namespace muster::e2e
