#include "scheduler/model/pins.h"

#include <algorithm>

#include "scheduler/model/label_match.h"
#include "scheduler/model/ledger.h"

namespace muster::scheduler {
namespace {

struct Payer {
  std::optional<QueueId> queue{};
  bool admitted = false;  // The pod was bound for that queue.
  bool final = false;     // Nothing that comes to be known can change it.
};

// What has just come to be known.
struct News {
  bool all = false;  // Every kind, of what was found.
  std::optional<QueueId> queue{};
  std::optional<NamespaceId> ns{};
};

bool Exists(const Tables& t, std::optional<QueueId> queue) {
  return queue && t.queues[queue->value].exists;
}

bool Admits(const Tables& t, std::optional<QueueId> queue, NamespaceId ns) {
  if (!Exists(t, queue)) return false;
  const QueueSeen& spec = t.queues[queue->value].spec;
  return spec.has_selector && MatchesAll(spec.namespace_selector, t.namespaces[ns.value].labels);
}

// The queue that a pod names which somebody else has bound; none: its PodGroup is not there.
std::optional<QueueId> NamedQueue(Tables& t, const PodRow& row) {
  const GangRow& gang = t.gangs[row.gang->value];
  if (gang.key.single_pod) return row.queue ? *row.queue : t.DefaultQueueOf(row.ns);
  if (!gang.exists) return std::nullopt;
  return gang.queue;
}

// By the status of the PodGroup that it was bound for; only as it was found.
std::optional<QueueId> StoredQueue(const Tables& t, const PodRow& row) {
  const auto group = PinnedGroup(t, row);
  return group ? t.gangs[group->value].stored_queue : std::nullopt;
}

// It was charged before anybody could say whether the queue admits it.
bool IsJudgedAnew(const Tables& t, PodId id, const News& news) {
  const bool queue = news.queue && news.queue == t.payer_of(id);
  return news.all || queue || news.ns == t.pods[id.value].ns;
}

Payer PayerByItsWord(Tables& t, PodId id, const News& news) {
  const PodRow& row = t.pods[id.value];
  const bool known = t.synced && t.namespaces[row.ns.value].exists;
  const std::optional<QueueId> pin = row.admitted_queue;
  if (Admits(t, pin, row.ns)) return {.queue = pin, .admitted = true, .final = known};
  const std::optional<QueueId> named = NamedQueue(t, row);
  if (Admits(t, named, row.ns)) return {.queue = named, .final = known};
  if (pin && !Exists(t, pin)) return {.queue = pin, .admitted = true};
  if (named && !Exists(t, named)) return {.queue = named};
  if (named) return {.final = known};
  // Its PodGroup is gone or not yet seen: what was charged rightly stays where it is.
  const std::optional<QueueId> payer = t.payer_of(id);
  const bool wrongly = IsJudgedAnew(t, id, news) && Exists(t, payer) && !Admits(t, payer, row.ns);
  if (payer && !wrongly) return {.queue = payer};
  const QueueId none = t.DefaultQueueOf(row.ns);
  return Exists(t, none) && !Admits(t, none, row.ns) ? Payer{} : Payer{.queue = none};
}

Payer Judge(Tables& t, PodId id, const News& news) {
  const std::optional<QueueId> stored = news.all ? StoredQueue(t, t.pods[id.value]) : std::nullopt;
  if (stored) return {.queue = stored, .admitted = true, .final = true};
  return PayerByItsWord(t, id, news);
}

std::optional<QueueId> Fix(Tables& t, PodId id, const News& news) {
  PodRow& row = t.pods[id.value];
  if (!row.gang) return std::nullopt;
  if (row.pin == Pin::kFixed) return row.admitted_queue ? row.admitted_queue : t.payer_of(id);
  const Payer payer = Judge(t, id, news);
  if (row.pin == Pin::kNone || !payer.final) return payer.queue;
  row.pin = Pin::kFixed;
  row.admitted_queue = payer.admitted ? payer.queue : std::nullopt;
  JoinGang(t, id, row.gang);  // A gang of one whose word does not hold is use, and no member.
  return payer.queue;
}

void SettleAll(Tables& t, const News& news) {
  for (std::uint32_t i = 0; i < t.pods.size(); ++i) {
    const PodId id{i};
    if (!t.pods[i].live || t.pods[i].pin != Pin::kOpen) continue;
    const Standing before = StandingOf(t, id);
    const std::optional<QueueId> payer = Fix(t, id, news);
    if (const auto node = t.node_of(id)) SetPlace(t, id, node, payer);
    Settle(t, id, before);
  }
}

// It bears a mark of our Bindings, whatever that says by now.
bool IsMarked(const PodSeen& e) {
  return e.journalled || !e.admitted_queue.empty() || !e.admitted_group_uid.empty();
}

// The open entry whose Binding has brought the pod to its node.
const EntryRow* EntryOf(const Tables& t, PodId id, const PodSeen& e) {
  const PodRow& row = t.pods[id.value];
  const std::uint64_t* awaiting = t.awaited.Find(row.uid);
  const auto entry = t.entries.find(awaiting != nullptr ? *awaiting : row.entry);
  if (entry == t.entries.end()) return nullptr;
  const auto member = std::ranges::find(entry->second.members, row.uid, &EntryRow::Member::pod);
  if (member == entry->second.members.end() || member->released) return nullptr;
  const std::optional<NodeId> next = t.next_of(id);
  const bool here = t.nodes.row(member->node).name == e.node;
  const bool there = next && t.nodes.row(*next).name == e.node;
  return (here || there) && IsMarked(e) ? &entry->second : nullptr;
}

}  // namespace

bool IsMarked(const PodRow& row) {
  return row.bound_by != 0 || row.group_pin != 0 || row.admitted_queue.has_value();
}

void PinByEntry(Tables& t, PodId id, const EntryRow& entry) {
  PodRow& row = t.pods[id.value];
  const bool single = t.gangs[entry.gang.value].key.single_pod;
  row.pin = Pin::kFixed;
  row.admitted_queue = entry.queue;
  row.bound_by = entry.id;
  SetGroupPin(t, id, single ? Uid() : entry.gang_uid);
  if (!single || row.gang == entry.gang) return;
  // Its label was changed while the Binding was under way.
  LeaveGang(t, id);
  JoinGang(t, id, entry.gang);
}

void PinAsSeen(Tables& t, PodId id, const PodSeen& e) {
  PodRow& row = t.pods[id.value];
  if (row.pin != Pin::kNone) return;
  if (const EntryRow* entry = EntryOf(t, id, e)) return PinByEntry(t, id, *entry);
  // An entry that names it may learn by nothing but this that it has lost it.
  if (const auto named = t.entries.find(row.entry); named != t.entries.end()) {
    t.Touch(named->second.gang);
  }
  // Anybody may write annotations onto pods of other schedulers.
  row.pin = e.ours ? Pin::kOpen : Pin::kFixed;
  if (!e.ours) return;
  if (!e.admitted_queue.empty()) row.admitted_queue = t.InternQueue(e.admitted_queue);
  row.bound_by = e.bound_by;
  SetGroupPin(t, id, e.admitted_group_uid);
}

std::optional<QueueId> SettlePayer(Tables& t, PodId id) {
  return Fix(t, id, {});
}

void SettleFound(Tables& t) {
  SettleAll(t, {.all = true});
}

void SettleOpen(Tables& t, QueueId made) {
  if (t.synced) SettleAll(t, {.queue = made});
}

void SettleOpen(Tables& t, NamespaceId made) {
  if (t.synced) SettleAll(t, {.ns = made});
}

}  // namespace muster::scheduler
