// An entry on the pages: whole on one, or in parts on several when its gang is too large for a
// page; and what the pages hold together when a leader starts. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crds/binding_journal.h"

namespace muster::controllers {

// Where a pod of an entry is named.
struct JournalPlace {
  std::uint64_t id = 0;
  std::int32_t part = 1;
};

// One entry: all its parts that were found, in order.
using EntryParts = std::vector<crds::JournalEntry>;

// each(part, node, pod), in order.
template <class Each>
void ForEachPod(const EntryParts& parts, Each each) {
  for (const crds::JournalEntry& part : parts) {
    for (const crds::JournalEntry::Node& node : part.nodes) {
      for (const crds::JournalEntry::Pod& pod : node.pods) each(part, node, pod);
    }
  }
}

// In as few parts as pages of kPageBytesMax can take, of about one size: none needs a page for
// itself if there are others.
[[nodiscard]] EntryParts SplitEntry(crds::JournalEntry entry);

struct NamedPod {
  std::string node, node_uid;
  crds::JournalEntry::Pod pod;
};
void AddPod(crds::JournalEntry& entry, NamedPod now);
void RemovePod(crds::JournalEntry& entry, const std::string& uid);  // It is named.

struct OpenEntries {
  std::vector<EntryParts> entries;     // By id. Of one that is given up parts may be missing.
  std::vector<std::uint64_t> dropped;  // Ids that stand on a page and mean nothing any more.
  std::string problem;                 // Not empty: they contradict each other, so nobody may lead.
};
// What the pages say. Dropped are, as nothing that anybody has sent can still act for them:
// * a Bind entry of which a part is missing. No request is sent before all parts are stored, and
//   parts leave only when all members are settled; so it was never sent, or it is settled.
// * a Bind entry with a pod that stands in a later one (higher id) too. A pod enters a new entry
//   only after the core has heard that the one before is closed, or that a PUT has taken the pod
//   out of it; one that was given up, or of which a member was freed, is closed by the PUT that
//   takes it off its page. So the earlier one
//   was settled: every member of it is bound or gone; and only the PUT that takes settled entries
//   off (within 5 s) had not come yet. A pod that joins an open entry (lower id) later waits to be
//   bound, so it stands in no settled one.
// One part in Abandon makes the whole entry that.
[[nodiscard]] OpenEntries ReadPages(const std::vector<crds::BindingJournal>& pages);

[[nodiscard]] bool IsAbandoned(const EntryParts& parts);

}  // namespace muster::controllers
