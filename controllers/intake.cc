#include "controllers/intake.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

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

// Labels count until the pod is bound. From then on the pins say whose member it is; a pod that
// somebody else bound stays with what it said when it was first seen bound.
scheduler::Key GangNow(const scheduler::PodSeen& seen, const PodRecord* before,
                       const Stores& stores) {
  if (seen.node.empty()) return seen.gang;
  if (!seen.admitted_group_uid.empty()) {
    if (const scheduler::Key* group = stores.group_of_uid(seen.admitted_group_uid)) return *group;
  } else if (!seen.admitted_queue.empty()) {
    return {seen.key.ns, seen.key.name, true};
  }
  return before != nullptr && IsBound(*before) ? before->gang : seen.gang;
}

// What the labels of a pod say.
struct Labelled {
  scheduler::Key gang;
  std::string sub_group;
};

// What a label of a bound pod says that no longer counts; "" = nothing.
std::string IgnoredLabel(const scheduler::PodSeen& seen, const Labelled& label) {
  if (seen.gang != label.gang) {
    return std::string(kPodGroupLabel) + " of a bound pod has no effect; it stays " +
           (seen.gang.single_pod ? "a gang of its own" : "a member of " + seen.gang.name);
  }
  if (!seen.gang.single_pod && seen.sub_group != label.sub_group) {
    return std::string(kSubGroupLabel) + " of a bound pod has no effect; it stays in " +
           (seen.sub_group.empty() ? "no sub-group" : "sub-group " + seen.sub_group);
  }
  const std::string named = seen.queue.empty() ? "default" : seen.queue;
  if (seen.gang.single_pod && !seen.admitted_queue.empty() && named != seen.admitted_queue) {
    return std::string(kQueueLabel) + " of a bound pod has no effect; it stays charged to queue " +
           seen.admitted_queue;
  }
  return "";
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

void Intake::Start() {
  Watch(kGroups);
}

void Intake::Watch(Kind kind) {
  WatchedKind watched = KindAt(kind);
  api_.ListAndWatch(std::move(watched.resource), std::move(watched.decode),
                    [this, kind](const ports::WatchEvent& event) { informers_[kind]->On(event); });
}

void Intake::OnListed(Kind kind) {
  // Later lists are relists: what they change came as seen and gone.
  if (synced_) return;
  // A pin names a PodGroup by uid. With the PodGroups known, every pod finds its gang at once.
  if (kind == kGroups && !others_started_) {
    others_started_ = true;
    for (const Kind other : {kQueues, kNodes, kNamespaces, kClasses, kPods}) Watch(other);
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
  const Labelled label{seen.gang, LabelledSubGroup(pod)};
  const PodRecord* before = stores_.pod(seen.key);
  seen.gang = GangNow(seen, before, stores_);
  PodRecord record = RecordOf(pod, seen.gang);
  if (before != nullptr && before->uid == record.uid && IsBound(*before)) {
    seen.sub_group = record.sub_group = before->sub_group;
  }
  record.edit_noted = before != nullptr && before->edit_noted;
  const std::string ignored =
      IsBound(record) && !record.edit_noted && !record.terminal ? IgnoredLabel(seen, label) : "";
  if (!ignored.empty()) {
    record.edit_noted = true;
    recorder_.Emit({.regarding = ObjectRef::Pod(seen.key, seen.uid),
                    .warning = true,
                    .reason = "LabelIgnored",
                    .action = "Updating",
                    .text = ignored});
  }
  seen.owner_first_seen = CountOwner(before, record, seen.created);
  stores_.Put(std::move(record));
  out_.apply(std::move(seen));
}

// The pods that a controller makes one after another share the queue time of the first.
Wall Intake::CountOwner(const PodRecord* before, const PodRecord& now, Wall created) {
  Wall first;
  if (now.gang.single_pod && !now.owner.empty()) {
    Owner& owner = owners_.try_emplace(now.owner, Owner{created, 0}).first->second;
    ++owner.pods;
    first = owner.first = std::min(owner.first, created);
  }
  // Last, so that a lone pod that changes does not end what its owner is known for.
  if (before != nullptr) Uncount(*before);
  return first;
}

// The last pod takes with it what the owner is known for.
void Intake::Uncount(const PodRecord& pod) {
  const auto owner = pod.gang.single_pod ? owners_.find(pod.owner) : owners_.end();
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
    if (!IsBound(pod) || pod.terminal || pod.group_uid != ref.uid) continue;
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
