#include "controllers/binder.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "controllers/decision_metrics.h"
#include "controllers/text.h"

namespace muster::controllers {
namespace {

using scheduler::Answer;
using scheduler::PodState;

// Reason of condition DisruptionTarget, as the page and the pods say it.
const char* ReasonOf(scheduler::Decision::Why why) {
  return why == scheduler::Decision::Why::kTimeout ? "BindTimeout" : "BindFailed";
}

// Which page names which member.
void NoteParts(Entry& entry, const EntryParts& parts) {
  std::map<scheduler::Uid, std::int32_t> part_of;
  ForEachPod(parts, [&part_of](const auto& part, const auto& /*node*/, const auto& pod) {
    part_of[pod.uid] = part.part;
  });
  for (Member& member : entry.members) member.part = part_of.at(member.uid);
}

// Some Binding of it may have been sent, or some member is bound.
bool HasBegun(const Entry& entry) {
  return std::ranges::any_of(entry.members, [](const Member& member) {
    return member.sent || member.state == MemberState::kBound ||
           member.state == MemberState::kElsewhere;
  });
}

constexpr const char* kGivenUp = "its gang was given up before it was bound whole";

}  // namespace

Binder::Binder(World world) : world_(std::move(world)), bind_(BindWorld()), undo_(UndoWorld()) {}

BindStep::World Binder::BindWorld() {
  return {.writer = world_.writer,
          .loop = world_.loop,
          .telemetry = world_.telemetry,
          .journal = world_.journal,
          .table = table_,
          .stores = world_.stores,
          .resolved = [this](Entry& entry, Member& member) { OnBindResolved(entry, member); },
          .failed = [this](Entry& entry, Member& member, BindStep::Fault fault,
                           const std::string& text) { OnBindFailed(entry, member, fault, text); }};
}

UndoStep::World Binder::UndoWorld() {
  return {.writer = world_.writer,
          .loop = world_.loop,
          .telemetry = world_.telemetry,
          .journal = world_.journal,
          .table = table_,
          .found_bound =
              [this](Entry&, Member& member) {
                if (!std::exchange(member.told, true)) Tell(member, Answer::kDone);
              },
          .resolved = [this](Entry& entry, Member& member) { OnUndoResolved(entry, member); }};
}

void Binder::Admit(const scheduler::Decision::Admit& admit) {
  Entry entry;
  entry.id = admit.id;
  entry.gang = admit.gang;
  entry.gang_uid = admit.gang_uid;
  entry.queue = admit.queue;
  entry.min_member = admit.min_member;
  entry.sub_groups = admit.sub_groups;
  for (const scheduler::Decision::Bind& bind : admit.pods) {
    entry.members.push_back(MemberOf(entry, bind));
  }
  Entry& added = table_.Add(std::move(entry));
  EntryParts parts = SplitEntry(PageEntryOf(added, admit.charges, admit.timeout_ms));
  added.parts = static_cast<std::int32_t>(parts.size());
  if (!world_.journal.CanHold(parts.size())) {
    added.phase = EntryPhase::kRefused;
    scheduler::EntryFailed failure;
    failure.text = "its journal entry needs " + std::to_string(parts.size()) +
                   " pages, there are fewer: " + std::to_string(added.members.size()) +
                   " members are too many";
    return Failed(added, std::move(failure));
  }
  if (parts.size() > 1) NoteParts(added, parts);
  world_.journal.Add(std::move(parts), [this, id = admit.id] {
    Entry* stored = table_.Find(id);
    if (stored != nullptr && stored->phase == EntryPhase::kStoring) Bind(*stored);
  });
}

// A pod that left between the decision and now stays in the entry, without a version: nothing is
// ever sent for it.
Member Binder::MemberOf(const Entry& entry, const scheduler::Decision::Bind& bind) const {
  Member member;
  member.uid = bind.pod;
  member.key = {.ns = bind.pod_key.ns, .name = bind.pod_key.name};
  member.node = bind.node;
  member.sub_group = bind.sub_group;
  member.node_uid = bind.node_uid;
  member.annotations = bind.annotations;
  member.on_cordoned = IsCordoned(bind.node);
  const PodRecord* record = world_.stores.pod(member.key);
  if (record == nullptr || record->uid != bind.pod) {
    member.state = MemberState::kLost;
    return member;
  }
  member.version = record->resource_version;
  const bool bound =
      !record->node.empty() && SetWhere(entry, member, record->node, MarksOf(record->pins));
  if (!bound) return member;
  // It runs already, by us: the others are bound around it, and it is given up with them.
  member.state = MemberState::kBound;
  member.told = true;
  member.live = !record->terminating;
  return member;
}

bool Binder::IsCordoned(const std::string& node) const {
  const NodeRecord* record = world_.stores.node(node);
  return record != nullptr && record->unschedulable;
}

void Binder::Bind(Entry& entry) {
  const bool adopted = entry.phase == EntryPhase::kAdopted;
  const std::uint64_t id = entry.id;
  const std::size_t count = entry.members.size();
  entry.phase = EntryPhase::kBinding;
  // The look-up may free a member within Start, and the last of them closes the entry.
  for (std::size_t i = 0; i < count && table_.Find(id) != nullptr; ++i) {
    Member& member = entry.members[i];
    if (member.state != MemberState::kOpen) continue;
    if (adopted) {
      BindAdopted(entry, member);
    } else {
      Go(entry, member);
    }
  }
  if (table_.Find(id) != nullptr) Progress(entry);
}

// The list was taken after the fence, so what it shows is newer than the entry: no request of a
// former life can have acted since.
void Binder::BindAdopted(Entry& entry, Member& member) {
  const PodRecord* record = world_.stores.pod(member.key);
  const bool there = record != nullptr && record->uid == member.uid;
  if (!there || (record->node.empty() && record->terminating)) {
    EntryTable::SetState(entry, member, MemberState::kLost);
    return Tell(member, Answer::kGone);
  }
  if (record->node.empty()) {
    if (member.stranded && entry.min_member == 0) {
      return OnBindFailed(entry, member, BindStep::Fault::kNodeLost,
                          member.key.name + ": node " + member.node + " takes it no more");
    }
    // The first Decide has just said that it fits there, unless it is stranded.
    if (!member.stranded) member.on_cordoned = IsCordoned(member.node);
    return Go(entry, member);
  }
  const bool ours = SetWhere(entry, member, record->node, MarksOf(record->pins)) && IsNamed(member);
  member.told = true;
  member.live = !record->terminating;
  EntryTable::SetState(entry, member, ours ? MemberState::kBound : MemberState::kElsewhere);
}

void Binder::OnBindResolved(Entry& entry, Member& member) {
  switch (member.state) {
    case MemberState::kBound:
      CountAttempt(world_.telemetry, "scheduled");
      member.told = true;
      Tell(member, Answer::kDone);
      break;
    case MemberState::kElsewhere:
      Tell(member, Answer::kElsewhere);
      break;
    default:
      Tell(member, Answer::kGone);
  }
  Progress(entry);
}

void Binder::OnBindFailed(Entry& entry, Member& member, BindStep::Fault fault,
                          const std::string& text) {
  const bool stale = fault != BindStep::Fault::kRefused;
  if (stale && entry.min_member == 0 && !member.sent) {
    // The others stand for themselves, and no Binding of this one is under way: it is planned anew
    // when no page names it any more. Until then a leader after this one would bind it there.
    EntryTable::SetState(entry, member, MemberState::kFreed);
    return Progress(entry);
  }
  // Before anything was sent the gang is better planned anew, as a whole.
  const bool moves = fault == BindStep::Fault::kNodeLost && entry.min_member > 0;
  if (moves && HasBegun(entry)) return LoseNode(entry, member, text);
  // Beyond the minimum each stands for itself: it is planned anew when it has left.
  const bool leaves = fault == BindStep::Fault::kNoMember || fault == BindStep::Fault::kNodeLost;
  if (leaves && StandsWithout(entry, member)) return LetGo(entry, member, text);
  scheduler::EntryFailed failure;
  failure.pod = member.uid;
  failure.text = text;
  failure.refused = !stale;
  Failed(entry, std::move(failure));
}

void Binder::OnUndoResolved(Entry& entry, Member& member) {
  if (entry.phase == EntryPhase::kBinding) return OnLeft(entry, member);
  if (entry.phase == EntryPhase::kAbandoning && member.state == MemberState::kFreed) {
    // It was to be moved. Its node is free when that is found under the stored Abandon.
    return EntryTable::SetState(entry, member, MemberState::kOpen);
  }
  if (member.state == MemberState::kBound && !std::exchange(member.told, true)) {
    Tell(member, Answer::kDone);
  }
  if (member.state == MemberState::kFreed) Tell(member, Answer::kRefused);
  if (member.state == MemberState::kElsewhere) Tell(member, Answer::kElsewhere);
  if (member.state == MemberState::kLost) Tell(member, Answer::kGone);
  if (entry.phase == EntryPhase::kUndoing && entry.open == 0) Leave(entry);
}

void Binder::Failed(Entry& entry, scheduler::EntryFailed failure) const {
  if (std::exchange(entry.failed, true)) return;
  world_.telemetry.Count("entries_failed", 1);
  if (failure.refused) CountAttempt(world_.telemetry, "error");
  failure.gang = entry.gang_uid;
  failure.id = entry.id;
  world_.feed(std::move(failure));
}

void Binder::Tell(const Member& member, Answer answer) const {
  scheduler::BindAnswered said{.pod = member.uid, .node = {}, .answer = answer};
  if (answer != Answer::kGone) said.node = member.node;
  if (answer == Answer::kElsewhere) said.at = member.at;
  world_.feed(std::move(said));
}

void Binder::Abandon(const scheduler::Decision::Abandon& abandon) {
  Entry* entry = table_.Find(abandon.id);
  if (entry == nullptr || entry->phase >= EntryPhase::kAbandoning) return;
  stalled_.erase(abandon.id);
  entry->why = ReasonOf(abandon.why);
  entry->text = CutText(abandon.text.empty() ? kGivenUp : abandon.text);
  world_.telemetry.Count("entries_abandoned", 1, {{"reason", WhyName(abandon.why)}});
  world_.telemetry.Log(ports::Level::kInfo, "a gang is given up",
                       {{"gang", ports::ObjectRef{entry->gang.ns, entry->gang.name}},
                        {"reason", entry->why},
                        {"text", entry->text}});
  // Members that run already (the rest of a gang without an entry) are deleted, and nothing is that
  // no page names.
  const bool any_bound = std::ranges::any_of(
      entry->members, [](const Member& member) { return member.state == MemberState::kBound; });
  const bool on_no_page =
      entry->phase == EntryPhase::kRefused || (!any_bound && world_.journal.Withdraw(abandon.id));
  if (on_no_page) {
    for (const Member& member : entry->members) Tell(member, Answer::kRefused);
    return Close(*entry);
  }
  entry->phase = EntryPhase::kAbandoning;
  world_.journal.Abandon(abandon.id, entry->why, [this, id = abandon.id] { Undo(id); });
}

void Binder::Adopt(const EntryParts& parts) {
  Entry& added = table_.Add(EntryOf(parts));
  if (!IsAbandoned(parts)) return;
  added.phase = EntryPhase::kAbandoning;
  added.text = kGivenUp;
  for (Member& member : added.members) member.doomed = true;
  adopted_abandons_.push_back(added.id);
}

void Binder::GoOnUndoing(std::uint64_t id) {
  const Entry& entry = *table_.Find(id);
  if (entry.parts == 1) return Undo(id);
  // Some of its pages may still say Bind.
  world_.journal.Abandon(id, entry.why, [this, id] { Undo(id); });
}

void Binder::StartAdopted() {
  for (const std::uint64_t id : std::exchange(adopted_abandons_, {})) GoOnUndoing(id);
  std::vector<std::uint64_t> ids;
  for (const auto& [id, entry] : table_.entries()) {
    if (entry.phase == EntryPhase::kAdopted) ids.push_back(id);
  }
  for (const std::uint64_t id : ids) Bind(*table_.Find(id));
}

void Binder::Observe(const scheduler::Event& event) {
  if (const auto* seen = std::get_if<scheduler::PodSeen>(&event)) return OnPodSeen(*seen);
  if (const auto* gone = std::get_if<scheduler::PodGone>(&event)) OnPodGone(gone->uid);
}

// A fact may be behind our own answers, so only what never changes back is taken from it: a node,
// a deletion, an end.
void Binder::OnPodSeen(const scheduler::PodSeen& pod) {
  const auto at = table_.OfPod(pod.uid);
  if (!at || at.entry->phase >= EntryPhase::kAbandoning) return;
  Member& member = *at.member;
  if (pod.node.empty()) {
    const bool ended = pod.state == PodState::kFailed || pod.state == PodState::kSucceeded;
    if (member.state != MemberState::kOpen) return;
    if (!ended) return LookAtWaiting(*at.entry, member);
    EntryTable::SetState(*at.entry, member, MemberState::kLost);
    return Progress(*at.entry);
  }
  const bool ours = SetWhere(*at.entry, member, pod.node, MarksOf(pod)) && IsNamed(member);
  if (ours && (pod.terminating || pod.state == PodState::kFailed)) member.live = false;
  if (member.state != MemberState::kOpen) return;
  member.told = true;
  if (ours) CountAttempt(world_.telemetry, "scheduled");  // Its answer is not heard any more.
  EntryTable::SetState(*at.entry, member, ours ? MemberState::kBound : MemberState::kElsewhere);
  Progress(*at.entry);
}

void Binder::OnPodGone(const scheduler::Uid& uid) {
  const auto at = table_.OfPod(uid);
  if (!at) return;
  if (at.member->state != MemberState::kOpen && at.member->state != MemberState::kBound) return;
  EntryTable::SetState(*at.entry, *at.member, MemberState::kLost);
  if (at.entry->phase == EntryPhase::kUndoing && at.entry->open == 0) return Leave(*at.entry);
  Progress(*at.entry);
}

void Binder::Settle() {
  for (const std::uint64_t id : std::vector<std::uint64_t>(stalled_.begin(), stalled_.end())) {
    Progress(*table_.Find(id));
  }
}

void Binder::Progress(Entry& entry) {
  if (entry.phase != EntryPhase::kBinding || entry.open > 0) return;
  if (!IsSettled(entry)) {
    stalled_.insert(entry.id);
    return;
  }
  CountSettled(world_.telemetry, world_.stores, entry);
  // One that was freed may be decided again once the core hears of the end, also into an entry that
  // is open: then the page may not name it any more.
  const bool freed = std::ranges::any_of(
      entry.members, [](const Member& member) { return member.state == MemberState::kFreed; });
  if (freed) return Leave(entry);
  world_.journal.Close(entry.id, Journal::When::kLater, nullptr);
  Close(entry);
}

bool Binder::IsSettled(const Entry& entry) const {
  std::int32_t reached = 0;
  bool any = false;
  for (const Member& member : entry.members) {
    const bool here = member.state == MemberState::kBound;
    const bool there = member.state == MemberState::kElsewhere && member.counts;
    any = any || here || there;
    if ((here && member.live) || there) ++reached;
  }
  if (!any || reached >= entry.min_member) return true;
  // Completed around members that ran before it.
  return world_.is_whole(entry.gang);
}

// Found bound by a leader that has not heard of it from a step of its own.
bool Binder::ShowsNode(const Member& member) const {
  const PodRecord* record = world_.stores.pod(member.key);
  return record != nullptr && record->uid == member.uid && !record->node.empty();
}

void Binder::Undo(std::uint64_t id) {
  Entry& entry = *table_.Find(id);
  entry.phase = EntryPhase::kUndoing;
  std::vector<bool> bound;
  for (Member& member : entry.members) {
    member.next.reset();
    member.leaves.clear();
    bound.push_back(member.state == MemberState::kBound || ShowsNode(member));
    if (bound.back()) EntryTable::SetState(entry, member, MemberState::kOpen);
  }
  for (std::size_t i = 0; i < bound.size(); ++i) {
    Member& member = entry.members[i];
    if (member.state == MemberState::kOpen) undo_.Start(entry, member, bound[i]);
  }
  if (entry.phase == EntryPhase::kUndoing && entry.open == 0) Leave(entry);
}

void Binder::Leave(Entry& entry) {
  entry.phase = EntryPhase::kLeaving;
  world_.journal.Close(entry.id, Journal::When::kNow,
                       [this, id = entry.id] { Close(*table_.Find(id)); });
}

// From here on the core may decide about the gang again.
void Binder::Close(Entry& entry) {
  world_.feed(scheduler::EntryClosed{.gang = entry.gang_uid, .id = entry.id});
  stalled_.erase(entry.id);
  table_.Erase(entry.id);
}

}  // namespace muster::controllers
