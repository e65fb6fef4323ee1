#include "controllers/bind_step.h"

#include <utility>

#include "controllers/api_calls.h"
#include "controllers/backoff.h"
#include "controllers/look_up.h"
#include "crds/decode.h"

namespace muster::controllers {
namespace {

constexpr std::int32_t kRefusalsMax = 3;
// A pod that changes between the page and the POST is followed at once so often; then with pauses.
constexpr std::int32_t kQuickAmends = 3;

crds::Binding BindingOf(const Entry& entry, const Member& member, std::string place) {
  crds::Binding binding;
  binding.ns = member.key.ns;
  binding.pod = member.key.name;
  binding.uid = member.uid;
  binding.resource_version = member.version;
  binding.node = member.node;
  for (const auto& [key, value] : member.annotations) binding.annotations[key] = value;
  binding.annotations["muster.dev/admitted-queue"] = entry.queue;
  if (!entry.gang.single_pod) {
    binding.annotations["muster.dev/admitted-group-uid"] = entry.gang_uid;
  }
  if (!member.sub_group.empty()) {
    binding.annotations["muster.dev/admitted-subgroup"] = member.sub_group;
  }
  binding.annotations["muster.dev/journal"] = std::move(place);
  return binding;
}

}  // namespace

void BindStep::Start(Entry& entry, Member& member) {
  Post(world_.table.NextTurn(entry, member));
}

void BindStep::Post(const Ref& ref) {
  world_.writer.SubmitLate(
      ports::Lane::kBind, [this, ref] { return MakePost(ref); },
      [this, ref](const Answer& answer) { OnPosted(ref, answer); });
}

// It may have waited long for its turn.
std::optional<ports::Request> BindStep::MakePost(const Ref& ref) {
  const auto at = world_.table.Get(ref);
  if (!at || at.entry->failed || at.entry->phase != EntryPhase::kBinding) return std::nullopt;
  if (!LookUp(*at.entry, *at.member)) return std::nullopt;
  at.member->sent = true;
  world_.telemetry.Count("bindings_sent", 1);
  return BindPod(
      BindingOf(*at.entry, *at.member, world_.journal.NameOf(PlaceOf(*at.entry, *at.member))));
}

// True: all is as it was decided.
bool BindStep::LookUp(Entry& entry, Member& member) {
  const Sight sight = LookUpMember(world_.stores, entry, member);
  switch (sight.kind) {
    case Sight::Kind::kAsPlanned:
      return true;
    case Sight::Kind::kKnown:
      break;
    case Sight::Kind::kGone:
      Resolve(entry, member, MemberState::kLost);
      break;
    case Sight::Kind::kChanged:
      Amend(entry, member, world_.stores.pod(member.key)->resource_version);
      member.listed = true;
      break;
    case Sight::Kind::kStale:
      Fail(entry, member, Fault::kStale, sight.text);
      break;
    case Sight::Kind::kNoMember:
      Fail(entry, member, Fault::kNoMember, sight.text);
      break;
    case Sight::Kind::kNodeLost:
      Fail(entry, member, Fault::kNodeLost, sight.text);
      break;
  }
  return false;
}

void BindStep::Fail(Entry& entry, Member& member, Fault fault, const std::string& text) const {
  world_.telemetry.Count("plans_stale", 1);
  world_.failed(entry, member, fault, text);
}

void BindStep::OnPosted(const Ref& ref, const Answer& answer) {
  const Verdict verdict = Judge(answer);
  world_.telemetry.Count("bindings_answered", 1, {{"result", OutcomeName(verdict.outcome)}});
  const auto at = world_.table.Get(ref);
  if (!at) return;
  if (verdict.outcome == Outcome::kDone) {
    return Resolve(*at.entry, *at.member, MemberState::kBound);
  }
  NoteRefusal(*at.member, verdict);
  Ask(ref);
}

// A malformed Binding is a 500 with a Status that has no reason, and so may be trouble of the
// server: only one that says the same again is a refusal. What the server calls trouble itself
// (InternalError: a webhook that does not answer), and what comes from something before it, pass,
// however often they say the same.
void BindStep::NoteRefusal(Member& member, const Verdict& verdict) {
  const bool server_error = verdict.code == 500 && verdict.reason == "";
  if (verdict.outcome != Outcome::kRefused && !server_error) return;
  std::string text = std::to_string(verdict.code) + " " + verdict.text;
  if (server_error && text != member.refusal) member.refusals = 0;
  member.refusal = std::move(text);
  ++member.refusals;
}

void BindStep::Ask(const Ref& ref) {
  const auto at = world_.table.Get(ref);
  if (!at) return;
  world_.writer.Submit(GetPod(at.member->key, ports::Lane::kBind),
                       [this, ref](const Answer& answer) { OnAsked(ref, answer); });
}

void BindStep::OnAsked(const Ref& ref, const Answer& answer) {
  const auto at = world_.table.Get(ref);
  if (!at) return;
  const Verdict verdict = Judge(answer);
  if (verdict.outcome == Outcome::kGone) {
    return Resolve(*at.entry, *at.member, MemberState::kLost);
  }
  if (verdict.outcome != Outcome::kDone) return AskLater(*at.entry, *at.member);
  const auto pod = crds::DecodePod(answer.value().body);
  if (!pod.ok()) {
    world_.telemetry.Log(ports::Level::kWarning, "a pod that was read does not decode",
                         {{"pod", ports::ObjectRef{at.member->key.ns, at.member->key.name}},
                          {"err", pod.error().message}});
    return AskLater(*at.entry, *at.member);
  }
  Look(*at.entry, *at.member, pod.value());
}

void BindStep::Look(Entry& entry, Member& member, const crds::Pod& pod) {
  if (pod.meta.uid != member.uid) return Resolve(entry, member, MemberState::kLost);
  if (!pod.node_name.empty()) {
    const bool ours = SetWhere(entry, member, pod.node_name, MarksOf(pod));
    return Resolve(entry, member, ours ? MemberState::kBound : MemberState::kElsewhere);
  }
  // The API server assigns no pod that is being deleted, so no POST under way can bind it either.
  if (pod.meta.deletion_ms) return Resolve(entry, member, MemberState::kLost);
  if (member.refusals >= kRefusalsMax) {
    return world_.failed(entry, member, Fault::kRefused, member.key.name + ": " + member.refusal);
  }
  SendAgain(entry, member, pod.meta.resource_version);
}

void BindStep::SendAgain(Entry& entry, Member& member, const std::string& version) {
  if (version == member.version) return Pause(entry, member, &BindStep::Post);
  if (member.attempt++ < kQuickAmends) return Amend(entry, member, version);
  const Ref ref = world_.table.NextTurn(entry, member);
  world_.loop.After(BackoffMs(world_.loop, member.attempt), [this, ref, version] {
    if (const auto at = world_.table.Get(ref)) Amend(*at.entry, *at.member, version);
  });
}

void BindStep::Amend(Entry& entry, Member& member, const std::string& version) {
  member.version = version;
  member.listed = false;
  const Ref ref = world_.table.NextTurn(entry, member);
  world_.journal.SetVersion(PlaceOf(entry, member), member.uid, version,
                            [this, ref] { Post(ref); });
}

void BindStep::AskLater(Entry& entry, Member& member) {
  Pause(entry, member, &BindStep::Ask);
}

void BindStep::Pause(Entry& entry, Member& member, void (BindStep::*step)(const Ref&)) {
  const Ref ref = world_.table.NextTurn(entry, member);
  world_.loop.After(BackoffMs(world_.loop, member.attempt++),
                    [this, ref, step] { (this->*step)(ref); });
}

void BindStep::Resolve(Entry& entry, Member& member, MemberState state) const {
  EntryTable::SetState(entry, member, state);
  world_.resolved(entry, member);
}

}  // namespace muster::controllers
