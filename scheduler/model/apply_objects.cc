// Nodes, PodGroups, Queues, Namespaces and PriorityClasses.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "scheduler/base/amount.h"
#include "scheduler/base/check.h"
#include "scheduler/model/apply.h"
#include "scheduler/model/ledger.h"
#include "scheduler/model/pins.h"

namespace muster::scheduler {
namespace {

// Readiness decides whether pods that cannot end are still charged.
void SetReady(Tables& t, NodeId id, bool ready) {
  NodeRow& node = t.nodes.row(id);
  if (node.ready == ready) return;
  // A copy: settling does not move pods, but the list is not ours to walk while cells change.
  const std::vector<PodId> pods(t.columns.PodsOn(id).begin(), t.columns.PodsOn(id).end());
  std::vector<Standing> before;
  before.reserve(pods.size());
  for (const PodId pod : pods) before.push_back(StandingOf(t, pod));
  node.ready = ready;
  for (std::size_t i = 0; i < pods.size(); ++i) Settle(t, pods[i], before[i]);
}

// True if an amount is new.
bool SetAllocatable(Tables& t, NodeId id, const Amounts& amounts) {
  // First all names, since a new one may widen every row.
  for (const auto& [name, amount] : amounts) {
    MUSTER_CHECK(amount >= 0 && amount <= kAmountMax);
    InternResource(t, name);
  }
  std::vector<std::int64_t> row(t.columns.width(), 0);
  for (const auto& [name, amount] : amounts) row[InternResource(t, name).value] = amount;
  const std::span<std::int64_t> stored = t.nodes.allocatable(id);
  if (std::ranges::equal(row, stored)) return false;
  std::ranges::copy(row, stored.begin());
  return true;
}

// For indexes, which know only the log, and for whoever waits.
void TouchNode(Tables& t, NodeId id) {
  t.columns.Touch(id);
  t.Touch(id);
}

// The fields that come from PodGroup.spec, its status and its metadata.
auto Spec(const GangRow& g) {
  return std::tie(g.queue, g.queue_named, g.min_member, g.sub_groups, g.topology, g.priority_class,
                  g.timeout_ms, g.created, g.generation, g.stored_succeeded, g.stored_ran,
                  g.stored_queue, g.invalid);
}

GangRow SpecRow(Tables& t, const GangSeen& e) {
  const QueueId queue =
      e.queue_named ? t.InternQueue(e.queue) : t.DefaultQueueOf(t.InternNamespace(e.key.ns));
  return {.queue = queue,
          .queue_named = e.queue_named,
          .min_member = e.min_member,
          .sub_groups = e.sub_groups,
          .topology = e.topology,
          .priority_class = e.priority_class,
          .timeout_ms = e.timeout_ms,
          .created = e.created,
          .generation = e.generation,
          .stored_succeeded = e.succeeded,
          .stored_ran = e.ran,
          .stored_queue = e.admitted_queue.empty() ? std::nullopt
                                                   : std::optional(t.InternQueue(e.admitted_queue)),
          .invalid = e.invalid};
}

void CopySpec(GangRow& to, const GangRow& from) {
  to.queue = from.queue;
  to.queue_named = from.queue_named;
  to.min_member = from.min_member;
  to.sub_groups = from.sub_groups;
  to.topology = from.topology;
  to.priority_class = from.priority_class;
  to.timeout_ms = from.timeout_ms;
  to.created = from.created;
  to.generation = from.generation;
  to.stored_succeeded = from.stored_succeeded;
  to.stored_ran = from.stored_ran;
  to.stored_queue = from.stored_queue;
  to.invalid = from.invalid;
}

// Pods that may be members, or pay elsewhere, by what the PodGroup now is.
std::vector<PodId> Affected(const Tables& t, GangId id, const Uid& uid) {
  const GangRow& gang = t.gangs[id.value];
  std::vector<PodId> pods = gang.members;
  pods.insert(pods.end(), gang.others.begin(), gang.others.end());
  const auto pinned = t.pins.pods(uid);
  pods.insert(pods.end(), pinned.begin(), pinned.end());
  std::ranges::sort(pods);
  const auto repeats = std::ranges::unique(pods);
  pods.erase(repeats.begin(), repeats.end());
  return pods;
}

// Unbound pods follow their label, whatever the PodGroup is.
void Rejoin(Tables& t, const std::vector<PodId>& pods) {
  for (const PodId pod : pods) {
    if (!t.pods[pod.value].bound) continue;
    const Standing before = StandingOf(t, pod);
    JoinGang(t, pod, t.pods[pod.value].gang);
    const std::optional<QueueId> payer = SettlePayer(t, pod);
    if (t.node_of(pod)) SetPlace(t, pod, t.node_of(pod), payer);
    Settle(t, pod, before);
  }
}

// O(gangs): namespaces and classes seldom change. True if one was touched.
bool TouchGangsIf(Tables& t, auto predicate) {
  bool any = false;
  for (std::uint32_t i = 0; i < t.gangs.size(); ++i) {
    if (!t.gangs[i].live || !predicate(t.gangs[i])) continue;
    t.Touch(GangId{i});
    any = true;
  }
  return any;
}

void SetNamespace(Tables& t, NamespaceId id, bool exists, const NamespaceSeen& e) {
  NamespaceRow& row = t.namespaces[id.value];
  if (row.exists == exists && row.labels == e.labels && row.default_queue == e.default_queue) {
    return;
  }
  const bool is_new = exists && !row.exists;
  row.exists = exists;
  row.labels = e.labels;
  row.default_queue = e.default_queue;
  const QueueId queue = t.DefaultQueueOf(id);
  for (GangRow& gang : t.gangs) {
    if (gang.ns == id && !gang.queue_named) gang.queue = queue;
  }
  if (is_new) SettleOpen(t, id);
  TouchGangsIf(t, [id](const GangRow& gang) { return gang.ns == id; });
}

bool SameQueue(const QueueSeen& a, const QueueSeen& b) {
  const auto same_quota = [](const QueueSeen::Quota& x, const QueueSeen::Quota& y) {
    return std::tie(x.resource, x.nominal, x.limited, x.borrowing_limit) ==
           std::tie(y.resource, y.nominal, y.limited, y.borrowing_limit);
  };
  const auto rest = [](const QueueSeen& q) {
    return std::tie(q.uid, q.has_selector, q.namespace_selector, q.stopped, q.misconfigured,
                    q.clipped);
  };
  return rest(a) == rest(b) && std::ranges::equal(a.resources, b.resources, same_quota);
}

}  // namespace

void ApplyEvent(Tables& t, const NodeSeen& e) {
  const NodeId id = t.InternNode(e.name);
  bool changed = SetAllocatable(t, id, e.allocatable);
  NodeRow& node = t.nodes.row(id);
  if (!node.exists) {
    t.nodes.Join(id);
    changed = true;
  }
  const auto facts = [](auto& n) {
    return std::tie(n.uid, n.unschedulable, n.labels, n.taints, n.cached_models);
  };
  if (facts(node) != facts(e)) {
    node.uid = e.uid;
    node.unschedulable = e.unschedulable;
    node.labels = e.labels;
    node.taints = e.taints;
    node.cached_models = e.cached_models;
    changed = true;
  }
  changed = changed || node.ready != e.ready;
  t.images.SetHeld(id, e.images);  // It alone is no news to those who wait.
  SetReady(t, id, e.ready);        // After Join: a ghost is never ready.
  if (changed) TouchNode(t, id);
}

void ApplyEvent(Tables& t, const NodeGone& e) {
  const auto id = t.nodes.Find(e.name);
  if (!id || !t.nodes.row(*id).exists) return;
  // Its pods stay, on the ghost, until they are gone themselves.
  SetReady(t, *id, false);
  t.nodes.Leave(*id);
  t.images.SetHeld(*id, {});
  TouchNode(t, *id);
  t.DropIfUnused(*id);
}

void ApplyEvent(Tables& t, const GangSeen& e) {
  std::int64_t sum = 0;
  for (const SubGroup& sub : e.sub_groups) sum += sub.min_member;
  MUSTER_CHECK(e.min_member >= sum);
  const GangId id = t.InternGang(e.key);
  const GangRow spec = SpecRow(t, e);
  GangRow& gang = t.gangs[id.value];
  // Most sights of a PodGroup are of its status, which we wrote.
  const bool same = gang.exists && gang.uid == e.uid && Spec(gang) == Spec(spec);
  if (same) return;
  gang.exists = true;
  CopySpec(gang, spec);
  t.SetGroupUid(id, e.uid);
  Rejoin(t, Affected(t, id, e.uid));
  t.Touch(id);
}

void ApplyEvent(Tables& t, const GangGone& e) {
  const auto id = t.FindGang(e.key);
  if (!id || e.key.single_pod || !t.gangs[id->value].exists) return;
  GangRow& gang = t.gangs[id->value];
  // Bound members become use; waiting ones wait for a PodGroup of the name.
  gang.exists = false;
  t.SetGroupUid(*id, "");
  Rejoin(t, Affected(t, *id, ""));
  CopySpec(gang, {.queue = t.DefaultQueueOf(gang.ns)});
  t.Touch(*id);
  t.DropIfUnused(*id);
}

void ApplyEvent(Tables& t, const QueueSeen& e) {
  const QueueId id = t.InternQueue(e.name);
  if (t.queues[id.value].exists && SameQueue(t.queues[id.value].spec, e)) return;
  std::vector<ResourceId> quotas;
  quotas.reserve(e.resources.size());
  for (const QueueSeen::Quota& quota : e.resources) {
    quotas.push_back(InternResource(t, quota.resource));
  }
  const bool is_new = !t.queues[id.value].exists;
  t.queues[id.value] = {.spec = e, .quotas = std::move(quotas), .exists = true};
  t.Touch(id);
  if (is_new) SettleOpen(t, id);
}

void ApplyEvent(Tables& t, const QueueGone& e) {
  const auto id = t.FindQueue(e.name);
  if (!id || !t.queues[id->value].exists) return;
  // The name, and what is charged to it, stay; a Queue made anew takes the charge over.
  t.queues[id->value] = {};
  t.queues[id->value].spec.name = e.name;
  t.Touch(*id);
}

void ApplyEvent(Tables& t, const NamespaceSeen& e) {
  SetNamespace(t, t.InternNamespace(e.name), true, e);
}

void ApplyEvent(Tables& t, const NamespaceGone& e) {
  if (const auto id = t.FindNamespace(e.name)) SetNamespace(t, *id, false, {});
}

void ApplyEvent(Tables& t, const PriorityClassSeen& e) {
  const auto [at, made] = t.priority_classes.try_emplace(e.name, e.value);
  if (!made && at->second == e.value) return;
  at->second = e.value;
  t.gone_classes.erase(e.name);
  TouchGangsIf(t, [&e](const GangRow& gang) { return gang.priority_class == e.name; });
}

void ApplyEvent(Tables& t, const PriorityClassGone& e) {
  const auto at = t.priority_classes.find(e.name);
  if (at == t.priority_classes.end()) return;
  const std::int32_t value = at->second;
  t.priority_classes.erase(at);
  const auto names_it = [&e](const GangRow& gang) { return gang.priority_class == e.name; };
  if (TouchGangsIf(t, names_it)) t.gone_classes[e.name] = value;
}

}  // namespace muster::scheduler
