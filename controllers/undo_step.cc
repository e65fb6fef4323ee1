#include "controllers/undo_step.h"

#include <utility>

#include "controllers/api_calls.h"
#include "controllers/backoff.h"
#include "controllers/text.h"
#include "crds/decode.h"
#include "crds/encode.h"

namespace muster::controllers {
namespace {

crds::ObjectMeta MetaOf(const Member& member) {
  crds::ObjectMeta meta;
  meta.ns = member.key.ns;
  meta.name = member.key.name;
  meta.uid = member.uid;
  meta.resource_version = member.version;
  return meta;
}

// The others of its entry go on.
bool GoesAlone(const Member& member) {
  return member.next || !member.leaves.empty();
}

const std::string& WhyTouched(const Entry& entry, const Member& member) {
  static const std::string moved = "its node takes it no more, it will be bound to another";
  if (member.next) return moved;
  return member.leaves.empty() ? entry.text : member.leaves;
}

// Names the page and its sequence, and counts: a touch that changes nothing would move nothing.
std::string TouchMessage(const std::string& why, const std::string& place, std::int64_t sequence,
                         std::int32_t attempt) {
  const std::string tail = " (journal " + place + ", sequence " + std::to_string(sequence) +
                           ", try " + std::to_string(attempt + 1) + ")";
  return CutText(why, tail.size()) + tail;
}

}  // namespace

void UndoStep::Start(Entry& entry, Member& member, bool bound) {
  if (!bound && !member.sent) return Resolve(entry, member, MemberState::kFreed);
  member.attempt = 0;
  const Ref ref = world_.table.NextTurn(entry, member);
  if (bound) return Check(ref);
  Touch(ref);
}

void UndoStep::Touch(const Ref& ref) {
  const auto at = world_.table.Get(ref);
  if (!at) return;
  const JournalPlace place = PlaceOf(*at.entry, *at.member);
  const std::string message =
      TouchMessage(WhyTouched(*at.entry, *at.member), world_.journal.NameOf(place),
                   world_.journal.sequence(place), at.member->attempt);
  world_.telemetry.Count("pods_touched", 1);
  world_.writer.Submit(
      PatchPodCondition(at.member->key, crds::PodUnscheduled(MetaOf(*at.member), "BindFailed",
                                                             message, world_.loop.now().wall.ms)),
      [this, ref](const Answer& answer) { OnTouched(ref, answer); });
}

void UndoStep::OnTouched(const Ref& ref, const Answer& answer) {
  const auto at = world_.table.Get(ref);
  if (!at) return;
  const Verdict verdict = Judge(answer);
  if (verdict.outcome == Outcome::kGone) {
    return Resolve(*at.entry, *at.member, MemberState::kLost);
  }
  if (verdict.outcome == Outcome::kConflict) return Check(ref);
  if (verdict.outcome != Outcome::kDone) return Pause(*at.entry, *at.member, &UndoStep::Check);
  const auto pod = crds::DecodePod(answer.value().body);
  if (!pod.ok()) return Pause(*at.entry, *at.member, &UndoStep::Check);
  Look(*at.entry, *at.member, pod.value());
}

void UndoStep::Check(const Ref& ref) {
  const auto at = world_.table.Get(ref);
  if (!at) return;
  world_.writer.Submit(GetPod(at.member->key, ports::Lane::kRemoval),
                       [this, ref](const Answer& answer) { OnChecked(ref, answer); });
}

void UndoStep::OnChecked(const Ref& ref, const Answer& answer) {
  const auto at = world_.table.Get(ref);
  if (!at) return;
  const Verdict verdict = Judge(answer);
  if (verdict.outcome == Outcome::kGone) {
    return Resolve(*at.entry, *at.member, MemberState::kLost);
  }
  if (verdict.outcome != Outcome::kDone) return Pause(*at.entry, *at.member, &UndoStep::Check);
  const auto pod = crds::DecodePod(answer.value().body);
  if (!pod.ok()) return Pause(*at.entry, *at.member, &UndoStep::Check);
  Look(*at.entry, *at.member, pod.value());
}

// What a touch answered and what a GET shows is judged alike. Every Binding still able to act
// carries the version that the entry names, so without a node any other version is beyond them.
void UndoStep::Look(Entry& entry, Member& member, const crds::Pod& pod) {
  if (pod.meta.uid != member.uid) return Resolve(entry, member, MemberState::kLost);
  if (!pod.node_name.empty()) {
    const bool ours = SetWhere(entry, member, pod.node_name, MarksOf(pod));
    if (!ours) return Resolve(entry, member, MemberState::kElsewhere);
    if (!GoesAlone(member)) return LookBound(entry, member, pod);
    member.live = !pod.meta.deletion_ms.has_value();
    return Resolve(entry, member, MemberState::kBound);
  }
  if (pod.meta.deletion_ms) return Resolve(entry, member, MemberState::kLost);
  if (pod.meta.resource_version != member.version) {
    if (member.next) member.next->version = pod.meta.resource_version;
    return Resolve(entry, member, MemberState::kFreed);
  }
  Pause(entry, member, &UndoStep::Touch);
}

void UndoStep::LookBound(Entry& entry, Member& member, const crds::Pod& pod) {
  world_.found_bound(entry, member);
  // One that has ended holds nothing, and its result is its owner's.
  const bool ended = pod.phase == "Succeeded" || pod.phase == "Failed";
  if ((ended && !member.doomed) || pod.meta.deletion_ms)
    return Resolve(entry, member, MemberState::kDeleted);
  const Ref ref = world_.table.NextTurn(entry, member);
  const auto place = pod.meta.annotations.find("muster.dev/journal");
  const auto id = place == pod.meta.annotations.end() ? std::nullopt : JournalId(place->second);
  if (!id || *id <= entry.id) return Mark(ref);
  world_.telemetry.Log(
      ports::Level::kWarning, "a pod names a later journal entry than its own",
      {{"pod", ports::ObjectRef{member.key.ns, member.key.name}}, {"entry", place->second}});
  world_.journal.Confirm(PlaceOf(entry, member), [this, ref] { Mark(ref); });
}

// The condition tells why; a DELETE without it is still right, so only "gone" is looked for.
void UndoStep::Mark(const Ref& ref) {
  const auto marked = world_.table.Get(ref);
  if (!marked) return;
  auto patch = crds::PodDisrupted(MetaOf(*marked.member), marked.entry->why, marked.entry->text,
                                  world_.loop.now().wall.ms);
  const auto then = [this, ref](const Answer& answer) {
    const auto at = world_.table.Get(ref);
    if (!at) return;
    if (Judge(answer).outcome != Outcome::kGone) return Delete(ref);
    Resolve(*at.entry, *at.member, MemberState::kLost);
  };
  world_.writer.Submit(PatchPodCondition(marked.member->key, patch), then);
}

void UndoStep::Delete(const Ref& ref) {
  const auto at = world_.table.Get(ref);
  if (!at) return;
  at.member->doomed = true;
  world_.telemetry.Count("pods_deleted", 1);
  world_.writer.Submit(DeletePod(at.member->key, at.member->uid),
                       [this, ref](const Answer& answer) { OnDeleted(ref, answer); });
}

void UndoStep::OnDeleted(const Ref& ref, const Answer& answer) {
  const auto at = world_.table.Get(ref);
  if (!at) return;
  const Outcome outcome = Judge(answer).outcome;
  if (outcome == Outcome::kDone) {
    return Resolve(*at.entry, *at.member, MemberState::kDeleted);
  }
  if (outcome == Outcome::kGone) return Resolve(*at.entry, *at.member, MemberState::kLost);
  Pause(*at.entry, *at.member, &UndoStep::Check);
}

void UndoStep::Pause(Entry& entry, Member& member, void (UndoStep::*step)(const Ref&)) {
  const Ref ref = world_.table.NextTurn(entry, member);
  world_.loop.After(BackoffMs(world_.loop, member.attempt++),
                    [this, ref, step] { (this->*step)(ref); });
}

void UndoStep::Resolve(Entry& entry, Member& member, MemberState state) const {
  EntryTable::SetState(entry, member, state);
  world_.resolved(entry, member);
}

}  // namespace muster::controllers
