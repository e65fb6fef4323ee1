// Takes one member off its node: of an entry whose Abandon is stored, or because it moves to
// another node or leaves the entry (Member::next, leaves; then it ends in kFreed, or in kBound
// where its Binding was faster). A member given up that is bound is deleted (not evicted: a budget
// would stop half way through a gang). One that is not is touched: its resourceVersion moves, so
// that no Binding still under way can act on it. A read that shows no node frees nothing by itself.
//
//   never sent -----------------------------------------------------> kFreed
//              200, no node, it moved
//   touching ------------------------------------------------------> kFreed
//     ^   |  200, not moved: again with another message                ^
//     |   v  409, no answer                                            |
//     |  checking (GET) -- no node, other than the entry's version ----'
//     '------|-- no node, the entry's version
//            |-- 404, another uid, or going and never bound ---------> kLost
//            |-- another node, or not by us ------------------------> kElsewhere
//            v   our node, by us
//          marking (DisruptionTarget) -> deleting ------------------> kDeleted
//                ^                          | no answer
//                `------ checking <---------'
//
// A bound member starts at checking. One whose journal id is above the entry's was bound by a later
// leader, or somebody wrote that onto the pod: the page is written once more before it is marked,
// which a leader that was deposed cannot. Loop thread only.
#pragma once

#include <functional>
#include <string>

#include "controllers/answer.h"
#include "controllers/entry.h"
#include "controllers/journal.h"
#include "controllers/ports/loop.h"
#include "controllers/ports/telemetry.h"
#include "controllers/writer.h"
#include "crds/pod.h"

namespace muster::controllers {

class UndoStep {
 public:
  struct World {
    Writer& writer;
    ports::Loop& loop;
    ports::Telemetry& telemetry;
    Journal& journal;
    EntryTable& table;
    // The API server shows the member on our node; the core may not know.
    std::function<void(Entry&, Member&)> found_bound;
    // The member left kOpen.
    std::function<void(Entry&, Member&)> resolved;
  };
  explicit UndoStep(World world) : world_(std::move(world)) {}

  // The member is in kOpen. `bound`: as far as is known.
  void Start(Entry& entry, Member& member, bool bound);

 private:
  using Ref = EntryTable::Ref;
  using Answer = Result<ports::Response>;

  void Touch(const Ref& ref);
  void OnTouched(const Ref& ref, const Answer& answer);
  void Check(const Ref& ref);
  void OnChecked(const Ref& ref, const Answer& answer);
  void Look(Entry& entry, Member& member, const crds::Pod& pod);
  void LookBound(Entry& entry, Member& member, const crds::Pod& pod);
  void Mark(const Ref& ref);
  void Delete(const Ref& ref);
  void OnDeleted(const Ref& ref, const Answer& answer);
  void Resolve(Entry& entry, Member& member, MemberState state) const;
  void Pause(Entry& entry, Member& member, void (UndoStep::*step)(const Ref&));

  World world_;
};

}  // namespace muster::controllers
