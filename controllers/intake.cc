#include "controllers/intake.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "controllers/entry.h"
#include "controllers/translate.h"
#include "crds/decode.h"
#include "scheduler/base/amount.h"
#include "scheduler/base/units.h"

namespace muster::controllers {
namespace {

// One kind's decoder in the form that the port asks for.
template <auto kDecode>
Result<crds::Object> DecodeAs(std::string_view json) {
  auto decoded = kDecode(json);
  if (!decoded.ok()) return decoded.error();
  return crds::Object(std::move(decoded).value());
}

struct WatchedKind {
  ports::Resource resource;
  ports::Api::Decode decode;
};

// In the order of Intake::Kind.
WatchedKind KindAt(std::size_t index) {
  switch (index) {
    case 0:
      return {{"muster.dev", "v1alpha1", "podgroups"}, DecodeAs<crds::DecodePodGroup>};
    case 1:
      return {{"muster.dev", "v1alpha1", "queues"}, DecodeAs<crds::DecodeQueue>};
    case 2:
      return {{"", "v1", "nodes"}, DecodeAs<crds::DecodeNode>};
    case 3:
      return {{"", "v1", "namespaces"}, DecodeAs<crds::DecodeNamespace>};
    case 4:
      return {{"scheduling.k8s.io", "v1", "priorityclasses"}, DecodeAs<crds::DecodePriorityClass>};
    default:
      return {{"", "v1", "pods"}, DecodeAs<crds::DecodePod>};
  }
}

bool IsBound(const PodRecord& pod) {
  return !pod.node.empty();
}

// Labels count until the pod is bound. From then on the pins say whose member it is, in its own
// namespace alone; a pod that somebody else bound stays with what it said when it was first seen
// bound.
scheduler::Key GangNow(const scheduler::PodSeen& seen, const PodRecord* before,
                       const Stores& stores) {
  if (seen.node.empty()) return seen.gang;
  if (!seen.admitted_group_uid.empty()) {
    const scheduler::Key* group = stores.group_of_uid(seen.admitted_group_uid);
    if (group != nullptr && group->ns == seen.key.ns) return *group;
  } else if (!seen.admitted_queue.empty()) {
    return {seen.key.ns, seen.key.name, true};
  }
  return before != nullptr && IsBound(*before) ? before->gang : seen.gang;
}

// What a pod says now, in part only until it is bound.
struct SaidByPod {
  scheduler::Key gang;    // By its labels.
  std::string sub_group;  // By its label.
  PodPins pins;
};

// What a bound pod says that no longer counts; "" = nothing. `payer`: the queue that pays for it.
std::string IgnoredEdit(const PodRecord& pod, const SaidByPod& said, const std::string& payer) {
  constexpr std::string_view kOfNoEffect = " of a bound pod has no effect";
  const std::string member =
      "; it stays " + (pod.gang.single_pod ? "a gang of its own" : "a member of " + pod.gang.name);
  const std::string charged = payer.empty() ? "" : "; it stays charged to queue " + payer;
  const std::string sub_group =
      "; it stays in " +
      (pod.pins.sub_group.empty() ? "no sub-group" : "sub-group " + pod.pins.sub_group);
  const auto text = [&](std::string_view key, const std::string& stays) {
    return std::string(key).append(kOfNoEffect).append(stays);
  };
  if (pod.gang != said.gang) return text(kPodGroupLabel, member);
  if (!pod.gang.single_pod && pod.pins.sub_group != said.sub_group) {
    return text(kSubGroupLabel, sub_group);
  }
  if (pod.gang.single_pod && pod.pins.label != said.pins.label) return text(kQueueLabel, charged);
  if (pod.pins.queue != said.pins.queue) return text(kAdmittedQueueAnnotation, charged);
  if (pod.pins.group_uid != said.pins.group_uid) return text(kAdmittedGroupUidAnnotation, member);
  if (pod.pins.journal != said.pins.journal) return text(kJournalAnnotation, "");
  return "";
}

// What a pod says of itself when it is first seen bound. In the list it may be true. But nobody has
// decided about one that comes with its node later: its creator has chosen it, and may have written
// on it that Muster did.
PodPins FirstPins(PodPins shown, bool with_its_node) {
  if (with_its_node) shown.queue = shown.group_uid = shown.journal = "";
  return shown;
}

// The pod says what it said when it was first seen bound. An id that no entry before this life had
// is forged, or of this life, and those the core knows without the annotation.
void SayAgain(const PodPins& pins, std::uint64_t first_id, scheduler::PodSeen& seen) {
  seen.queue = pins.label;
  seen.sub_group = pins.sub_group;
  seen.admitted_queue = pins.queue;
  seen.admitted_group_uid = pins.group_uid;
  const std::uint64_t id = JournalId(pins.journal).value_or(0);
  seen.bound_by = id < first_id ? id : 0;
  seen.journalled = JournalId(pins.journal).has_value();
}

// Nobody has exactly the largest amount: it stands for more. "" = nothing was clipped.
std::string ClippedAmounts(const crds::Node& node) {
  std::string text;
  for (const auto& [resource, amount] : node.allocatable) {
    if (amount < kAmountMax) continue;
    text += (text.empty() ? "" : "; ") + std::string("status.allocatable: more ") + resource +
            " than " + FormatAmount(resource, kAmountMax) + " counts as that";
  }
  return text;
}

}  // namespace

Intake::Intake(ports::Api& api, EventRecorder& recorder, Stores& stores, Out out,
               std::string scheduler_name)
    : api_(api),
      recorder_(recorder),
      stores_(stores),
      out_(std::move(out)),
      scheduler_name_(std::move(scheduler_name)) {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const std::string plural = KindAt(kind).resource.plural;
    informers_[kind] = std::make_unique<Informer>(Informer::Handler{
        .seen = [this](const crds::Object& object) { OnSeen(object); },
        .gone = [this, kind](const Informer::Ref& ref) { OnGone(static_cast<Kind>(kind), ref); },
        .listed = [this, kind] { OnListed(static_cast<Kind>(kind)); },
        .invalid =
            [this, plural](const std::string& error) {
              Warn(plural, "an object keeps its last good state", error);
            },
        .lost =
            [this, plural](const std::string& error) {
              Warn(plural, "the watch ended, a new list follows", error);
            },
        .stale_changed = [this] { OnStaleChanged(); },
        .went_back =
            [this, plural](const Informer::Ref& ref) {
              if (out_.went_back) out_.went_back(plural + " " + ref.key.ns + "/" + ref.key.name);
            }});
  }
}

void Intake::Warn(const std::string& plural, std::string_view what,
                  const std::string& error) const {
  std::string text = plural;
  text.append(": ").append(what).append(": ").append(error);
  out_.warn(text);
}

void Intake::StandBy(const Standby& standby) {
  list_us_ = standby.list_us;
  for (std::size_t i = 0; i < kKinds; ++i) {
    const auto kind = static_cast<Kind>(i);
    streams_[kind].cache =
        std::make_unique<WarmCache>(WarmCache::World{.loop = standby.loop,
                                                     .send = standby.send,
                                                     .resource = KindAt(kind).resource,
                                                     .settled = [this, kind] { OnSettled(kind); }});
    streams_[kind].kept = true;
    Watch(kind);
  }
}

// All kinds are asked for at once, and taken in their order.
void Intake::Start(std::uint64_t first_id) {
  first_id_ = first_id;
  if (!list_us_) return Take(kGroups);
  for (const Stream& stream : streams_) stream.cache->Ask(*list_us_);
}

void Intake::OnSettled(Kind kind) {
  if (kind == kGroups || others_started_) Take(kind);
}

void Intake::Take(Kind kind) {
  Stream& stream = streams_[kind];
  stream.kept = false;
  if (stream.cache && stream.cache->caught_up()) {
    ++warm_kinds_;
    return stream.cache->PassOn(
        [this, kind](const ports::WatchEvent& event) { informers_[kind]->On(event); });
  }
  if (stream.cache) stream.cache->Forget();
  Watch(kind);
}

void Intake::Watch(Kind kind) {
  WatchedKind watched = KindAt(kind);
  api_.ListAndWatch(std::move(watched.resource), std::move(watched.decode),
                    [this, kind, turn = ++streams_[kind].turn](ports::WatchEvent event) {
                      if (turn == streams_[kind].turn) On(kind, std::move(event));
                    });
}

void Intake::On(Kind kind, ports::WatchEvent event) {
  if (streams_[kind].kept) return streams_[kind].cache->On(std::move(event));
  informers_[kind]->On(event);
}

void Intake::OnListed(Kind kind) {
  // Later lists are relists: what they change came as seen and gone.
  if (synced_) return;
  // A pin names a PodGroup by uid. With the PodGroups known, every pod finds its gang at once.
  if (kind == kGroups && !others_started_) {
    others_started_ = true;
    for (const Kind other : {kQueues, kNodes, kNamespaces, kClasses, kPods}) {
      const WarmCache* cache = streams_[other].cache.get();
      if (cache == nullptr || cache->settled()) Take(other);
    }
    if (synced_) return;  // With the last of those that were kept.
  }
  synced_ = std::all_of(informers_.begin(), informers_.end(),
                        [](const auto& informer) { return informer->synced(); });
  if (synced_) out_.synced();
}

void Intake::OnStaleChanged() {
  const bool current = std::none_of(informers_.begin(), informers_.end(),
                                    [](const auto& informer) { return informer->stale(); });
  if (std::exchange(current_, current) != current) out_.current(current);
}

void Intake::OnSeen(const crds::Object& object) {
  if (const auto* pod = std::get_if<crds::Pod>(&object)) {
    OnPod(*pod);
  } else if (const auto* group = std::get_if<crds::PodGroup>(&object)) {
    OnGroup(*group);
  } else if (const auto* queue = std::get_if<crds::Queue>(&object)) {
    // The store first: whoever hears of the event finds the object there.
    stores_.Put(*queue);
    out_.apply(TranslateQueue(*queue));
    out_.queue_stored(queue->meta.name);
  } else if (const auto* node = std::get_if<crds::Node>(&object)) {
    OnNode(*node);
  } else if (const auto* ns = std::get_if<crds::Namespace>(&object)) {
    out_.apply(TranslateNamespace(*ns));
  } else if (const auto* priority_class = std::get_if<crds::PriorityClass>(&object)) {
    out_.apply(TranslatePriorityClass(*priority_class));
  }
}

// A node has no condition of ours, so the log is told: once, until it says something else.
void Intake::OnNode(const crds::Node& node) {
  const NodeRecord* before = stores_.node(node.meta.name);
  NodeRecord record{node.meta.uid, node.unschedulable, ClippedAmounts(node)};
  if (!record.clipped.empty() && (before == nullptr || before->clipped != record.clipped)) {
    out_.warn("node " + node.meta.name + ": " + record.clipped);
  }
  stores_.Put(node.meta.name, std::move(record));
  out_.apply(TranslateNode(node));
}

void Intake::OnPod(const crds::Pod& pod) {
  scheduler::PodSeen seen = TranslatePod(pod, scheduler_name_);
  if (!seen.ours) {
    out_.apply(std::move(seen));
    return;
  }
  // `before` points into the stores: it is done with before the new record goes in.
  const PodRecord* before = stores_.pod(seen.key);
  PodRecord record = RecordOf(pod, seen.gang);
  const SaidByPod said{seen.gang, LabelledSubGroup(pod), record.pins};
  const bool known = before != nullptr && before->uid == record.uid;
  const bool was_bound = known && IsBound(*before);
  if (IsBound(record)) {
    record.pins = was_bound ? before->pins : FirstPins(said.pins, !known && synced_);
    SayAgain(record.pins, first_id_, seen);
  }
  seen.gang = record.gang = GangNow(seen, before, stores_);
  record.edit_noted = before != nullptr && before->edit_noted;
  if (IsBound(record) && !record.edit_noted && !record.terminal) {
    const std::string payer = out_.payer ? out_.payer(record.uid) : "";
    const std::string ignored = IgnoredEdit(record, said, payer);
    record.edit_noted = !ignored.empty();
    if (record.edit_noted) NoteEdit(record, ignored);
  }
  seen.owner_first_seen = CountOwner(before, record, seen.created);
  stores_.Put(std::move(record));
  out_.apply(std::move(seen));
}

void Intake::NoteEdit(const PodRecord& now, const std::string& what) {
  recorder_.Emit({.regarding = ObjectRef::Pod(now.key, now.uid),
                  .warning = true,
                  .reason = "LabelIgnored",
                  .action = "Updating",
                  .text = what});
}

// The pods that a controller makes one after another share the queue time of the first.
Wall Intake::CountOwner(const PodRecord* before, const PodRecord& now, Wall created) {
  Wall first;
  if (now.gang.single_pod && !now.owner.empty()) {
    const std::pair key{now.key.ns, now.owner};
    Owner& owner = owners_.try_emplace(key, Owner{created, 0}).first->second;
    ++owner.pods;
    first = owner.first = std::min(owner.first, created);
  }
  // Last, so that a lone pod that changes does not end what its owner is known for.
  if (before != nullptr) Uncount(*before);
  return first;
}

// The last pod takes with it what the owner is known for.
void Intake::Uncount(const PodRecord& pod) {
  if (!pod.gang.single_pod) return;
  const auto owner = owners_.find({pod.key.ns, pod.owner});
  if (owner != owners_.end() && --owner->second.pods == 0) owners_.erase(owner);
}

void Intake::OnGroup(const crds::PodGroup& group) {
  const scheduler::Key key{group.meta.ns, group.meta.name};
  stores_.Put(group);
  out_.apply(TranslatePodGroup(group));
  out_.group_stored(key);
}

void Intake::OnGone(Kind kind, const Informer::Ref& ref) {
  switch (kind) {
    case kPods:
      // Pods of other schedulers are in no store; the core knows them all.
      if (const PodRecord* pod = stores_.pod(ref.key)) Uncount(*pod);
      stores_.ErasePod(ref.key);
      out_.apply(scheduler::PodGone{ref.uid});
      break;
    case kGroups:
      OnGroupGone(ref);
      break;
    case kQueues:
      stores_.EraseQueue(ref.key.name);
      out_.apply(scheduler::QueueGone{ref.key.name});
      break;
    case kNodes:
      stores_.EraseNode(ref.key.name);
      out_.apply(scheduler::NodeGone{ref.key.name});
      break;
    case kNamespaces:
      out_.apply(scheduler::NamespaceGone{ref.key.name});
      break;
    case kClasses:
      out_.apply(scheduler::PriorityClassGone{ref.key.name});
      break;
    case kKinds:
      break;
  }
}

// Its pods run on, charged as before; nobody but the user can say whether that was meant.
void Intake::OnGroupGone(const Informer::Ref& ref) {
  for (const scheduler::Key& key : stores_.pods_of(ref.key)) {
    const PodRecord& pod = *stores_.pod(key);
    if (!IsBound(pod) || pod.terminal || pod.pins.group_uid != ref.uid) continue;
    recorder_.Emit(
        {.regarding = ObjectRef::Pod(key, pod.uid),
         .warning = true,
         .reason = "PodGroupNotFound",
         .action = "Scheduling",
         .text = "PodGroup \"" + ref.key.name + "\" does not exist in namespace " + ref.key.ns});
  }
  stores_.EraseGroup(ref.key);
  out_.apply(scheduler::GangGone{ref.key});
}

}  // namespace muster::controllers
