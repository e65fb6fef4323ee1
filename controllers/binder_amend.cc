// The half of the binder that changes an open entry: a member that is lost is replaced by another
// pod, one whose node is lost is moved, one that belongs to the gang no more leaves. The page names
// what is new before its Binding is sent, and what has left no more before the core hears of it.
//
//   stranded, not sent ----------------------> named --PUT--> EntryAmended, ready (bind_step.h)
//   stranded, sent --touched (undo_step.h)--^    ^
//                                                |
//   a pod in the place of one that is lost ------+
//   or has left ---------------------------------'
//
//   leaves, not sent ------------------------> named no more --PUT--> EntryLeft
//   leaves, sent --touched--^
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "controllers/binder.h"
#include "controllers/look_up.h"

namespace muster::controllers {
namespace {

bool MayChange(const Entry& entry) {
  return !entry.failed && entry.phase != EntryPhase::kRefused &&
         entry.phase < EntryPhase::kAbandoning;
}

bool IsLeaving(const Member& member) {
  return member.state == MemberState::kLeft || !member.leaves.empty();
}

}  // namespace

// What was closed or failed meanwhile, or is bound or gone, stays as it is: the core hears of it,
// and takes back what it has placed.
void Binder::Amend(const scheduler::Decision::Amend& amend) {
  for (const scheduler::Decision::Amend::Change& change : amend.changes) {
    Entry* entry = table_.Find(amend.id);
    if (entry == nullptr || !MayChange(*entry)) return;
    if (change.replaces.empty()) {
      Join(*entry, change.bind);
    } else {
      AmendMember(*entry, change);
    }
  }
}

void Binder::AmendMember(Entry& entry, const scheduler::Decision::Amend::Change& change) {
  const std::uint64_t id = entry.id;
  const auto found = std::ranges::find(entry.members, change.replaces, &Member::uid);
  if (found == entry.members.end()) return;
  Member& member = *found;
  if (change.replaces != change.bind.pod) {
    Replace(entry, member, change.bind);
  } else if (member.state == MemberState::kOpen) {
    member.stranded = true;
    member.leaves.clear();  // Its label says again what it said.
    member.next = Member::Place{.node = change.bind.node,
                                .node_uid = change.bind.node_uid,
                                .on_cordoned = IsCordoned(change.bind.node),
                                .annotations = change.bind.annotations,
                                .version = {}};
  }
  // The new pod may have left already, and be the last.
  if (table_.Find(id) == nullptr || entry.phase != EntryPhase::kBinding) return;
  if (member.state == MemberState::kOpen) Go(entry, member);
}

void Binder::Strand(const scheduler::Decision::Strand& strand) {
  const auto at = table_.OfPod(strand.pod);
  if (!at || at.entry->id != strand.id || !MayChange(*at.entry)) return;
  if (at.member->state != MemberState::kOpen) return;
  at.member->stranded = true;
  world_.telemetry.Count("members_stranded", 1);
}

// Others of the entry may be bound: they stay so while there is time to find it another node.
void Binder::LoseNode(Entry& entry, Member& member, const std::string& text) {
  member.stranded = true;
  world_.telemetry.Count("members_stranded", 1);
  world_.telemetry.Log(
      ports::Level::kInfo, "a member has lost its node before it was bound",
      {{"gang", ports::ObjectRef{entry.gang.ns, entry.gang.name}}, {"text", text}});
  world_.feed(scheduler::EntryStranded{.gang = entry.gang_uid, .id = entry.id, .pod = member.uid});
}

Member Binder::NewMember(const Entry& entry, const scheduler::Decision::Bind& bind) const {
  Member by = MemberOf(entry, bind);
  // It is bound already: its fact is on its way here.
  if (by.state == MemberState::kBound) {
    by.state = MemberState::kOpen;
    by.told = false;
  }
  return by;
}

void Binder::Replace(Entry& entry, Member& lost, const scheduler::Decision::Bind& bind) {
  Member by = NewMember(entry, bind);
  by.on_page = lost.on_page;
  if (lost.on_page) by.replaces = lost.replaces.empty() ? lost.uid : lost.replaces;
  table_.Replace(entry, lost, std::move(by));
  stalled_.erase(entry.id);
  if (lost.state != MemberState::kOpen) Progress(entry);
}

// Its place is on the page of the last: the others of the part that was left are there as well, or
// there is but one.
void Binder::Join(Entry& entry, const scheduler::Decision::Bind& bind) {
  Member by = NewMember(entry, bind);
  by.on_page = false;
  by.part = entry.members.back().part;
  Member& member = table_.Join(entry, std::move(by));
  stalled_.erase(entry.id);
  if (member.state != MemberState::kOpen) return Progress(entry);
  if (entry.phase == EntryPhase::kBinding) Go(entry, member);
}

// Something was begun for another, and the page of this one names others: an entry without pods
// cannot be read.
bool Binder::StandsWithout(const Entry& entry, const Member& member) {
  bool begun = false;
  bool named = false;
  for (const Member& other : entry.members) {
    if (&other == &member || IsLeaving(other)) continue;
    named = named || (other.on_page && other.part == member.part);
    begun = begun || other.sent || other.state == MemberState::kBound ||
            other.state == MemberState::kElsewhere;
  }
  return begun && named;
}

void Binder::LetGo(Entry& entry, Member& member, const std::string& text) {
  member.leaves = text;
  member.next.reset();
  member.stranded = false;
  world_.telemetry.Count("members_let_go", 1);
  world_.telemetry.Log(
      ports::Level::kInfo, "a member leaves its entry before it is bound",
      {{"gang", ports::ObjectRef{entry.gang.ns, entry.gang.name}}, {"text", text}});
  undo_.Start(entry, member, false);
}

// No turn of its own will come while it waits for a node.
void Binder::LookAtWaiting(Entry& entry, Member& member) {
  const bool waits = member.stranded && !member.next;
  if (entry.phase != EntryPhase::kBinding || entry.failed || !waits) return;
  const Sight sight = LookUpMember(world_.stores, entry, member);
  if (sight.kind != Sight::Kind::kNoMember) return;
  OnBindFailed(entry, member, BindStep::Fault::kNoMember, sight.text);
}

void Binder::Go(Entry& entry, Member& member) {
  if (!IsNamed(member)) return Name(entry, member);
  if (!member.stranded) return bind_.Start(entry, member);
  if (member.next) undo_.Start(entry, member, false);
}

// A member that moves or leaves is off its node for good, or is not going to be.
void Binder::OnLeft(Entry& entry, Member& member) {
  if (member.state == MemberState::kFreed) {
    EntryTable::SetState(entry, member, MemberState::kOpen);
    return member.leaves.empty() ? Name(entry, member) : Unname(entry, member);
  }
  member.next.reset();
  member.leaves.clear();
  member.stranded = false;
  OnBindResolved(entry, member);
}

// Until that PUT is answered a leader after this one would bind it.
void Binder::Unname(Entry& entry, Member& member) {
  member.on_page = false;
  const EntryTable::Ref ref = table_.NextTurn(entry, member);
  const scheduler::EntryLeft left{.gang = entry.gang_uid, .id = entry.id, .pod = member.uid};
  world_.journal.Remove(PlaceOf(entry, member), member.uid, [this, ref, left] {
    const auto at = table_.Get(ref);
    if (!at) return;  // It is lost meanwhile.
    table_.Leave(*at.entry, *at.member);
    world_.feed(left);
    Progress(*at.entry);
  });
}

void Binder::Name(Entry& entry, Member& member) {
  const bool joins = !std::exchange(member.on_page, true);
  scheduler::Uid named = std::exchange(member.replaces, {});
  if (named.empty() && !joins) named = member.uid;
  if (member.next) {
    Member::Place to = *std::exchange(member.next, std::nullopt);
    member.node = std::move(to.node);
    member.node_uid = std::move(to.node_uid);
    member.on_cordoned = to.on_cordoned;
    member.annotations = std::move(to.annotations);
    if (!to.version.empty()) {
      member.version = std::move(to.version);
      member.listed = false;
    }
  }
  member.stranded = false;
  member.sent = false;  // What was sent carries a version that the pod has left behind.
  member.attempt = 0;
  const EntryTable::Ref ref = table_.NextTurn(entry, member);
  NamedPod now{.node = member.node,
               .node_uid = member.node_uid,
               .pod = {.name = member.key.name,
                       .uid = member.uid,
                       .resource_version = member.version,
                       .sub_group = member.sub_group}};
  scheduler::EntryAmended amended{.gang = entry.gang_uid, .id = entry.id, .pod = member.uid};
  world_.journal.Replace(PlaceOf(entry, member), named, std::move(now), [this, ref, amended] {
    world_.telemetry.Count("members_replaced", 1);
    world_.feed(amended);
    const auto at = table_.Get(ref);
    if (at && at.entry->phase == EntryPhase::kBinding) bind_.Start(*at.entry, *at.member);
  });
}

}  // namespace muster::controllers
