// The open entries, as the binding protocol works on them. What is on the page is the journal's;
// here is how far each member has come. A reference to a member carries its turn: every step moves
// the turn on, so that an answer to an older step finds nothing to act on. Loop thread only.
//
// An entry:
//
//   kStoring --stored--> kBinding --every member bound or gone, minimum reached--> settled, closed
//      |                    |
//      |  Abandon           |  Abandon, from any phase before
//      v                    v
//   closed if it is on   kAbandoning --stored--> kUndoing --every member done--> kLeaving -->
//   no page yet and no   closed
//   member is bound
//
//   In kBinding (or before) one member may be replaced by another pod, or moved to another node. In
//   kBinding one may leave, and another pod join in its place.
//
//   kAdopted (found at take-over) waits for the first Decide, then goes on as kBinding; one that
//   the page calls abandoned goes on as kUndoing. kRefused: there are not pages enough to hold it,
//   it waits for Abandon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/journal_parts.h"
#include "controllers/stores.h"
#include "crds/binding_journal.h"
#include "crds/meta.h"
#include "crds/pod.h"
#include "scheduler/base/hash_index.h"
#include "scheduler/model/event.h"

namespace muster::controllers {

enum class EntryPhase : std::uint8_t {
  kAdopted,
  kRefused,
  kStoring,
  kBinding,
  kAbandoning,
  kUndoing,
  kLeaving,
};

// The machines of a member are drawn in bind_step.h and undo_step.h.
enum class MemberState : std::uint8_t {
  kOpen,       // A request of its step is under way, or waits for its turn.
  kBound,      // On the entry's node.
  kElsewhere,  // Bound by another scheduler, to another node or to the entry's.
  kLost,       // No such pod any more, or one that is going and was never bound.
  kFreed,      // Given up, and no Binding can act on it any more.
  kDeleted,    // Given up: its DELETE was answered.
  kLeft,       // A member no more; its place on the page is gone too. It has no uid any more.
};

struct Member {
  // Where the core has it moved to.
  struct Place {
    std::string node;
    scheduler::Uid node_uid;
    bool on_cordoned = false;
    std::vector<std::pair<std::string, std::string>> annotations;
    std::string
        version;  // Of the pod once it is touched; "" = no Binding was sent, none is needed.
  };

  std::int32_t part = 1;  // Of its entry: the page that names it.
  scheduler::Uid uid;
  scheduler::Key key;
  std::string node;
  scheduler::Uid node_uid;
  std::string version;    // The resourceVersion that the entry names.
  std::string sub_group;  // "" = of none.
  // The version came from the store: one that differs there now is newer. Else a read has shown it,
  // and the store may be behind it.
  bool listed = true;
  bool on_cordoned = false;  // Its node was cordoned when this was decided: it may be.
  std::vector<std::pair<std::string, std::string>> annotations;
  scheduler::Uid replaces;    // The lost pod that the page still names in its place; "" = none.
  bool on_page = true;        // False: its page does not (or will not) name anybody in its place.
  std::string leaves;         // Why it is taken out of the entry; "" = it stays.
  bool stranded = false;      // Its node takes it no more: nothing is sent until the core moves it.
  std::optional<Place> next;  // Set while it is stranded, from the decision on.

  MemberState state = MemberState::kOpen;
  bool live = true;     // Of a bound one: counts for the minimum (not terminating, not gone).
  bool counts = false;  // Of one bound elsewhere: it carries our group uid.
  std::string at;       // Of one bound elsewhere: its node.
  bool sent = false;    // Some leader may have sent its Binding.
  bool doomed = false;  // Some leader may have sent its DELETE: it has to be answered.
  bool told = false;    // The core was told that it is bound.
  std::uint32_t turn = 0;
  std::int32_t attempt = 0;   // Of the step it is in; paces repeats.
  std::int32_t refusals = 0;  // Answers in a row that say no for good.
  std::string refusal;        // The last one: "<code> <text>".
};

struct Entry {
  std::uint64_t id = 0;
  scheduler::Key gang;
  scheduler::Uid gang_uid;
  std::string queue;
  std::int32_t min_member = 0;
  std::vector<scheduler::SubGroup> sub_groups;  // Their parts of it.
  std::int32_t parts = 1;
  EntryPhase phase = EntryPhase::kStoring;
  bool failed = false;    // EntryFailed was said: nothing more is sent until the Abandon comes.
  std::string why, text;  // Of its Abandon.
  std::size_t open = 0;   // Members in state kOpen.
  std::vector<Member> members;
};

// Its page names it, so a Binding of it may act.
[[nodiscard]] inline bool IsNamed(const Member& member) {
  return member.on_page && member.replaces.empty();
}

[[nodiscard]] inline JournalPlace PlaceOf(const Entry& entry, const Member& member) {
  return {.id = entry.id, .part = member.part};
}

class EntryTable {
 public:
  struct Ref {
    std::uint64_t id = 0;
    std::size_t index = 0;
    std::uint32_t turn = 0;
  };
  struct At {
    Entry* entry = nullptr;
    Member* member = nullptr;
    explicit operator bool() const { return member != nullptr; }
  };

  Entry& Add(Entry entry);
  [[nodiscard]] Entry* Find(std::uint64_t id);
  void Erase(std::uint64_t id);
  [[nodiscard]] std::map<std::uint64_t, Entry>& entries() { return entries_; }

  // The next step of a member: what refers to the steps before is stale.
  [[nodiscard]] Ref NextTurn(Entry& entry, const Member& member);
  [[nodiscard]] At Get(const Ref& ref);  // Empty: stale, or its entry is closed.
  [[nodiscard]] At OfPod(const scheduler::Uid& uid);
  // The place of a member that is lost goes to another pod; ends the turn.
  void Replace(Entry& entry, Member& lost, Member by);
  // References to other members of the entry end here.
  Member& Join(Entry& entry, Member member);
  // Into kLeft: its pod may join another entry.
  void Leave(Entry& entry, Member& member);
  // Out of, or back into, kOpen; keeps the count and ends the turn.
  static void SetState(Entry& entry, Member& member, MemberState state);

 private:
  std::map<std::uint64_t, Entry> entries_;
  HashIndex<scheduler::Uid, std::pair<std::uint64_t, std::size_t>> of_pod_;
};

// Between the page's form and ours. All parts that were found, at least one.
[[nodiscard]] Entry EntryOf(const EntryParts& parts);
[[nodiscard]] scheduler::EntrySeen SeenOf(const EntryParts& parts);
[[nodiscard]] crds::JournalEntry PageEntryOf(const Entry& entry,
                                             const std::vector<scheduler::Charge>& charges,
                                             std::int64_t timeout_ms);
// What a Binding of ours leaves on a pod, and that of another scheduler does not. Whoever may edit
// the pod can change it, so any of it tells.
struct BindingMarks {
  std::string_view queue, group_uid;
  bool journalled = false;
};
[[nodiscard]] BindingMarks MarksOf(const crds::Pod& pod);
[[nodiscard]] BindingMarks MarksOf(const PodPins& pins);
[[nodiscard]] BindingMarks MarksOf(const scheduler::PodSeen& pod);
// A pod that shows a node was brought there for the entry's PodGroup.
[[nodiscard]] bool IsOfGroup(const Entry& entry, const BindingMarks& marks);
// A pod that shows a node was brought there by us, not by another scheduler (R2).
[[nodiscard]] bool IsBoundByUs(const BindingMarks& marks);
// Notes where a pod that shows a node is. True: the member is bound as its entry says.
bool SetWhere(const Entry& entry, Member& member, const std::string& node,
              const BindingMarks& marks);
// The id in "p-03/17"; nullopt: no journal wrote it.
[[nodiscard]] std::optional<std::uint64_t> JournalId(std::string_view place);

}  // namespace muster::controllers
