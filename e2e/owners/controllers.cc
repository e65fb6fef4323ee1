#include "e2e/owners/controllers.h"

#include <algorithm>

#include "e2e/apiserver/time_text.h"
#include "e2e/owners/disruption.h"
#include "e2e/owners/replica_set.h"

namespace muster::e2e {
namespace {

// Before a refused create is tried again.
constexpr std::int64_t kRetryMs = 1'000;

const std::string& KindName(const Json& object) {
  return StringAt(object, {"kind"});
}
const std::string& NameOf(const Json& object) {
  return StringAt(object, {"metadata", "name"});
}

// JSON Patch adds an empty list; the API server would keep it.
Json NullIfEmpty(Json list) {
  return list.empty() ? Json() : std::move(list);
}

}  // namespace

void ClusterControllers::OnFrame(const std::string& frame, std::int64_t now_ms) {
  const std::optional<Json> read = Parse(frame);
  if (!read || !read->contains("object")) return;
  const std::string& type = StringAt(*read, {"type"});
  const Json& object = read->at("object");
  if (type == "DELETED") ForgetOne(object);
  if (type != "ADDED" && type != "MODIFIED") return;
  if (KindName(object) == "Lease") OnLease(object, now_ms);
  if (KindName(object) == "Node" && type == "ADDED") node_heard_ms_[NameOf(object)] = now_ms;
  Note(object);
}

void ClusterControllers::OnLease(const Json& lease, std::int64_t now_ms) {
  if (StringAt(lease, {"metadata", "namespace"}) == "kube-node-lease") {
    node_heard_ms_[NameOf(lease)] = now_ms;
  }
}

void ClusterControllers::Note(const Json& object) {
  const std::string uid = UidOf(object);
  const Json* before = cache_.Find(uid);
  if (before != nullptr) {
    for (const Json& owner : OwnersOf(*before)) dirty_.insert(StringAt(owner, {"uid"}));
    WakeBudgets(*before);
  }
  if (!cache_.Take(object)) return;
  dirty_.insert(uid);
  for (const Json& owner : OwnersOf(object)) dirty_.insert(StringAt(owner, {"uid"}));
  WakeBudgets(object);
  if (KindName(object) != "Pod") return;
  const Json* node = cache_.FindNode(StringAt(object, {"spec", "nodeName"}));
  if (node != nullptr && Evicts(*node)) dirty_.insert(UidOf(*node));
}

// The budgets that count the pod, or that may count the pods of the ReplicaSet.
void ClusterControllers::WakeBudgets(const Json& object) {
  const bool pod = KindName(object) == "Pod";
  if (!pod && KindName(object) != "ReplicaSet") return;
  for (const Json* budget : cache_.OfKind("PodDisruptionBudget")) {
    if (!pod || BudgetSelects(*budget, object)) dirty_.insert(UidOf(*budget));
  }
}

void ClusterControllers::Forget() {
  cache_ = {};
  jobs_.clear();
  node_heard_ms_.clear();
  dirty_.clear();
  timers_.clear();
}

void ClusterControllers::ForgetOne(const Json& object) {
  const std::string uid = UidOf(object);
  for (const Json& owner : OwnersOf(object)) dirty_.insert(StringAt(owner, {"uid"}));
  for (const Json* dependent : cache_.DependentsOf(uid)) dirty_.insert(UidOf(*dependent));
  WakeBudgets(object);
  if (KindName(object) == "Node") node_heard_ms_.erase(NameOf(object));
  cache_.Drop(uid);
  jobs_.erase(uid);
}

std::optional<std::int64_t> ClusterControllers::next_ms() const {
  if (!dirty_.empty()) return 0;
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first;
}

void ClusterControllers::Run(std::int64_t now_ms) {
  while (!timers_.empty() && timers_.begin()->first <= now_ms) {
    dirty_.insert(timers_.begin()->second);
    timers_.erase(timers_.begin());
  }
  while (!dirty_.empty()) {
    const std::string uid = *dirty_.begin();
    dirty_.erase(dirty_.begin());
    Sync(uid, now_ms);
  }
}

void ClusterControllers::Later(const std::string& uid, std::int64_t at_ms) {
  timers_.emplace(at_ms, uid);
}

void ClusterControllers::Sync(const std::string& uid, std::int64_t now_ms) {
  const Json* known = cache_.Find(uid);
  if (known == nullptr) return;
  // A copy: what is written below changes what is known.
  const Json object = *known;
  SyncGarbage(object);
  if (KindName(object) == "Job") SyncJob(object, now_ms);
  if (KindName(object) == "ReplicaSet") SyncReplicaSet(object, now_ms);
  if (KindName(object) == "Node") SyncNode(object, now_ms);
  if (KindName(object) == "PodDisruptionBudget") SyncBudget(object, now_ms);
}

OwnerState ClusterControllers::LookUp(const Json& reference, const Json& dependent) const {
  const std::string& uid = StringAt(reference, {"uid"});
  const std::string& ns = StringAt(dependent, {"metadata", "namespace"});
  const auto state = [](const Json& owner) {
    const bool waits = IsLeaving(owner) && HasFinalizer(owner, "foregroundDeletion");
    return waits ? OwnerState::kWaiting : OwnerState::kThere;
  };
  const Json* known = cache_.Find(uid);
  if (known != nullptr) {
    const std::string& owner_ns = StringAt(*known, {"metadata", "namespace"});
    return owner_ns.empty() || owner_ns == ns ? state(*known) : OwnerState::kAbsent;
  }
  const Answered found = requests_.GetOwner(reference, ns);
  if (found.code == 404) return OwnerState::kAbsent;
  if (!found.ok()) return OwnerState::kThere;
  return UidOf(found.body) == uid ? state(found.body) : OwnerState::kAbsent;
}

void ClusterControllers::SyncGarbage(const Json& object) {
  const GarbageStep step = PlanGarbage(
      object, cache_.DependentsOf(UidOf(object)),
      [this](const Json& reference, const Json& one) { return LookUp(reference, one); });
  for (const std::string& uid : step.release) Release(uid, UidOf(object));
  for (const std::string& uid : step.look_at) dirty_.insert(uid);
  if (step.owners) {
    Learn(requests_.SetField(object, "/metadata/ownerReferences", NullIfEmpty(*step.owners)));
  }
  if (step.finalizers) {
    Learn(requests_.SetField(object, "/metadata/finalizers", NullIfEmpty(*step.finalizers)));
  }
  if (!step.propagation.empty()) Remove(object, step.propagation);
}

void ClusterControllers::Release(const std::string& uid, const std::string& owner) {
  const Json* known = cache_.Find(uid);
  if (known == nullptr) return;
  const Json dependent = *known;
  Learn(requests_.SetField(dependent, "/metadata/ownerReferences",
                           NullIfEmpty(OwnersWithout(dependent, owner))));
}

bool ClusterControllers::CreatePods(const std::vector<Json>& pods) {
  bool all = true;
  for (const Json& pod : pods) {
    const Answered made = requests_.Create(pod);
    if (made.ok()) Note(made.body);
    // A namespace that goes takes the owner along: nothing to try again.
    const bool leaving =
        made.code == 403 && Dump(made.body).find("NamespaceTerminating") != std::string::npos;
    all = all && (made.ok() || leaving);
  }
  return all;
}

void ClusterControllers::RemovePods(const std::vector<Json>& pods) {
  for (const Json& pod : pods) Remove(pod, "Background");
}

void ClusterControllers::Remove(const Json& object, const std::string& propagation) {
  const Answered answer = requests_.Delete(object, propagation);
  if (!answer.ok()) return;
  if (KindName(answer.body) != KindName(object) || !IsLeaving(answer.body)) {
    ForgetOne(object);
  } else {
    Learn(answer);
  }
}

// What an answer says of an object that is known: frames from before it are no news then.
void ClusterControllers::Learn(const Answered& answer) {
  if (answer.ok() && cache_.Find(UidOf(answer.body)) != nullptr) Note(answer.body);
}

void ClusterControllers::SyncJob(const Json& job, std::int64_t now_ms) {
  const std::string uid = UidOf(job);
  JobStep step = PlanJob(job, cache_.PodsOf(uid), jobs_[uid], options_.jobs, now_ms);
  if (step.expired) {
    Remove(job, "Background");
    return;
  }
  if (step.again_ms) Later(uid, *step.again_ms);
  RemovePods(step.remove);
  if (!CreatePods(step.create)) Later(uid, now_ms + kRetryMs);
  if (!step.status.is_null()) Learn(requests_.SetStatus(job, std::move(step.status)));
}

void ClusterControllers::SyncReplicaSet(const Json& set, std::int64_t now_ms) {
  ReplicaSetStep step = PlanReplicaSet(set, cache_.PodsOf(UidOf(set)));
  RemovePods(step.remove);
  if (!CreatePods(step.create)) Later(UidOf(set), now_ms + kRetryMs);
  if (!step.status.is_null()) Learn(requests_.SetStatus(set, std::move(step.status)));
}

void ClusterControllers::SyncNode(const Json& node, std::int64_t now_ms) {
  if (options_.nodes.grace_ms == 0) return;
  const std::int64_t silent_ms = node_heard_ms_.at(NameOf(node)) + options_.nodes.grace_ms;
  if (now_ms < silent_ms) {
    Later(UidOf(node), silent_ms);
  } else if (Json conditions = UnknownConditions(node, now_ms); !conditions.is_null()) {
    Json status = node.value("status", Json::object());
    status["conditions"] = std::move(conditions);
    Learn(requests_.SetStatus(node, std::move(status)));
    return;  // The change itself comes here again.
  }
  if (Json taints = TaintsByCondition(node, now_ms); !taints.is_null()) {
    Learn(requests_.SetField(node, "/spec/taints", NullIfEmpty(std::move(taints))));
    return;
  }
  SyncPodsOf(node, now_ms);
}

void ClusterControllers::SyncBudget(const Json& budget, std::int64_t now_ms) {
  std::vector<const Json*> pods;
  for (const Json* pod : cache_.OfKind("Pod")) {
    if (BudgetSelects(budget, *pod)) pods.push_back(pod);
  }
  const auto owner = [this](const std::string& uid) { return cache_.Find(uid); };
  BudgetStep step = PlanBudget(budget, pods, owner, now_ms);
  if (step.again_ms > 0) Later(UidOf(budget), step.again_ms);
  // Refused if a pod was evicted meanwhile: the frame that says so comes here again.
  if (!step.status.is_null()) {
    Learn(requests_.SetStatusOfVersion(budget, std::move(step.status)));
  }
}

void ClusterControllers::SyncPodsOf(const Json& node, std::int64_t now_ms) {
  if (!Evicts(node)) return;
  std::vector<Json> doomed;
  for (const Json* pod : cache_.OfKind("Pod")) {
    if (StringAt(*pod, {"spec", "nodeName"}) != NameOf(node)) continue;
    const auto end_ms = EvictionTime(node, *pod);
    if (!end_ms || IsLeaving(*pod) || IsTerminalPod(*pod)) continue;
    if (*end_ms <= now_ms) {
      doomed.push_back(*pod);
    } else {
      Later(UidOf(node), *end_ms);
    }
  }
  for (const Json& pod : doomed) Evict(pod, now_ms);
}

void ClusterControllers::Evict(const Json& pod, std::int64_t now_ms) {
  (void)requests_.PatchPodStatus(
      pod,
      {{"conditions", Json::array({{{"type", "DisruptionTarget"},
                                    {"status", "True"},
                                    {"reason", "DeletionByTaintManager"},
                                    {"message", "Taint manager: deleting due to NoExecute taint"},
                                    {"lastTransitionTime", TimeText(now_ms)}}})}});
  Remove(pod, "Background");
}

}  // namespace muster::e2e
