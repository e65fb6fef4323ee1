// Carries out what the core decided: an admitted gang goes onto a page, then its Bindings go out;
// a member that is lost or has lost its node is replaced or moved within the entry; a gang that is
// given up is undone, member by member. It answers the core with events and looks at
// facts of the watch only to notice that a member is gone or bound already. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "controllers/bind_step.h"
#include "controllers/entry.h"
#include "controllers/journal.h"
#include "controllers/stores.h"
#include "controllers/undo_step.h"
#include "scheduler/model/event.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers {

class Binder {
 public:
  struct World {
    Writer& writer;
    ports::Loop& loop;
    ports::Telemetry& telemetry;
    Journal& journal;
    const Stores& stores;
    std::function<void(scheduler::Event)> feed;  // To the core.
    // Members of the gang, of this entry or not, that are bound or have succeeded reach its
    // minimums of now: one that was lowered counts at once.
    std::function<bool(const scheduler::Key& gang)> is_whole;
  };

  explicit Binder(World world);
  Binder(const Binder&) = delete;
  Binder& operator=(const Binder&) = delete;

  void Admit(const scheduler::Decision::Admit& admit);
  void Strand(const scheduler::Decision::Strand& strand);  // Before the Amend that moves it.
  void Amend(const scheduler::Decision::Amend& amend);
  void Abandon(const scheduler::Decision::Abandon& abandon);

  // Take-over: an entry found on a page. Nothing is sent for it before StartAdopted, which follows
  // the first Decide (it may abandon or strand what does not fit any more).
  void Adopt(const EntryParts& parts);
  void StartAdopted();

  // Every event that the core was given, in the same order.
  void Observe(const scheduler::Event& event);
  // After a batch of them: entries that wait for their gang's count look again.
  void Settle();

  [[nodiscard]] std::size_t open_entries() { return table_.entries().size(); }

 private:
  [[nodiscard]] BindStep::World BindWorld();
  [[nodiscard]] UndoStep::World UndoWorld();
  [[nodiscard]] Member MemberOf(const Entry& entry, const scheduler::Decision::Bind& bind) const;
  [[nodiscard]] bool ShowsNode(const Member& member) const;
  void Bind(Entry& entry);
  void BindAdopted(Entry& entry, Member& member);
  // The next step of a member that is to be bound: the page, the touch, or the Binding.
  void Go(Entry& entry, Member& member);
  void LoseNode(Entry& entry, Member& member, const std::string& text);
  void AmendMember(Entry& entry, const scheduler::Decision::Amend::Change& change);
  void Replace(Entry& entry, Member& lost, const scheduler::Decision::Bind& bind);
  void Join(Entry& entry, const scheduler::Decision::Bind& bind);
  [[nodiscard]] Member NewMember(const Entry& entry, const scheduler::Decision::Bind& bind) const;
  [[nodiscard]] static bool StandsWithout(const Entry& entry, const Member& member);
  void LetGo(Entry& entry, Member& member, const std::string& text);
  void Unname(Entry& entry, Member& member);
  void LookAtWaiting(Entry& entry, Member& member);
  void OnLeft(Entry& entry, Member& member);
  void Name(Entry& entry, Member& member);
  void OnBindResolved(Entry& entry, Member& member);
  void OnBindFailed(Entry& entry, Member& member, BindStep::Fault fault, const std::string& text);
  void OnUndoResolved(Entry& entry, Member& member);
  void Failed(Entry& entry, scheduler::EntryFailed failure) const;
  void Tell(const Member& member, scheduler::Answer answer) const;
  void OnPodSeen(const scheduler::PodSeen& pod);
  void OnPodGone(const scheduler::Uid& uid);
  void Leave(Entry& entry);  // Off its page, then closed.
  void Progress(Entry& entry);
  [[nodiscard]] bool IsSettled(const Entry& entry) const;
  void GoOnUndoing(std::uint64_t id);
  void Undo(std::uint64_t id);
  void Close(Entry& entry);
  [[nodiscard]] bool IsCordoned(const std::string& node) const;

  World world_;
  EntryTable table_;
  BindStep bind_;
  UndoStep undo_;
  std::vector<std::uint64_t> adopted_abandons_;
  std::set<std::uint64_t> stalled_;  // Every member bound or gone, but below the minimum.
};

}  // namespace muster::controllers
