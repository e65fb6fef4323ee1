#include "scheduler/model/ledger.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "scheduler/base/amount.h"
#include "scheduler/base/check.h"

namespace muster::scheduler {
namespace {

void Add(Tables& t, Cell cell, std::int64_t delta) {
  const std::int64_t sum = CheckedAdd(t.columns.Get(cell), delta);
  // A sum over pods never falls below zero: each of them takes back what it gave.
  MUSTER_CHECK(sum >= 0);
  t.columns.Set(cell, sum);
}

// The request of one pod, and its slot, into a row of `column`.
void AddRequest(Tables& t, Column column, std::uint32_t row, ShapeId shape, std::int64_t sign) {
  const std::uint32_t first = row * t.columns.width();
  Add(t, {column, first + kPodsResource.value}, sign);
  for (const auto& [resource, amount] : t.shapes.request(shape)) {
    if (resource == kUnknownResource) continue;
    Add(t, {column, first + resource.value}, sign * amount);
  }
}

void CountMember(Tables& t, GangId gang, const Standing& s, std::int64_t sign) {
  const std::uint32_t first = gang.value * kGangCounters;
  Add(t, {Column::kGangCount, first + static_cast<std::uint32_t>(s.record)}, sign);
  if (s.running) Add(t, {Column::kGangCount, first + kRunningCounter}, sign);
}

// Takes out what was put in, then puts in what is true now; equal ends are no write at all.
void SettleNode(Tables& t, const Standing& before, const Standing& after) {
  const bool moved = before.node != after.node || before.next != after.next;
  if (!moved && before.shape == after.shape) return;
  for (const auto& node : {before.node, before.next}) {
    if (!node) continue;
    AddRequest(t, Column::kNodeUsed, node->value, before.shape, -1);
    t.Touch(*node);
  }
  for (const auto& node : {after.node, after.next}) {
    if (!node) continue;
    AddRequest(t, Column::kNodeUsed, node->value, after.shape, 1);
    t.Touch(*node);
  }
}

void SettleQueue(Tables& t, const Standing& before, const Standing& after) {
  if (before.queue == after.queue && before.shape == after.shape) return;
  if (before.queue) {
    AddRequest(t, Column::kQueueUsage, before.queue->value, before.shape, -1);
    t.Touch(*before.queue);
  }
  if (after.queue) {
    AddRequest(t, Column::kQueueUsage, after.queue->value, after.shape, 1);
    t.Touch(*after.queue);
  }
}

std::vector<PodId>& ListOf(Tables& t, GangId id, bool member) {
  GangRow& gang = t.gangs[id.value];
  return member ? gang.members : gang.others;
}

std::vector<PodId>::iterator PlaceInOrder(const Tables& t, std::vector<PodId>& list, PodId id) {
  const auto less = [&t](PodId a, PodId b) { return MemberLess(t, a, b); };
  return std::lower_bound(list.begin(), list.end(), id, less);
}

// The pod that a gang of one shows: the youngest, should two of the name overlap.
const PodRow* Youngest(const Tables& t, const GangRow& gang) {
  std::vector<PodId> pods = gang.members;
  pods.insert(pods.end(), gang.others.begin(), gang.others.end());
  const PodRow* best = nullptr;
  for (const PodId pod : pods) {
    const PodRow& row = t.pods[pod.value];
    const bool first = best == nullptr;
    if (first || std::tie(best->created, best->uid) < std::tie(row.created, row.uid)) best = &row;
  }
  return best;
}

void RefreshSingle(Tables& t, GangId id) {
  GangRow& gang = t.gangs[id.value];
  if (!gang.key.single_pod) return;
  const PodRow* pod = Youngest(t, gang);
  gang.exists = pod != nullptr;
  gang.uid = pod == nullptr ? Uid() : pod->uid;
  std::optional<QueueId> queue = pod == nullptr ? std::nullopt : pod->queue;
  if (pod != nullptr && pod->pin == Pin::kFixed && pod->admitted_queue) queue = pod->admitted_queue;
  gang.queue_named = queue.has_value();
  gang.queue = queue ? *queue : t.DefaultQueueOf(gang.ns);
  gang.created = Wall{};
  if (pod != nullptr) {
    gang.created = pod->owner_first_seen.ms != 0 ? pod->owner_first_seen : pod->created;
  }
}

// Where a pod belongs, and whether it counts there.
struct Membership {
  std::optional<GangId> gang;
  bool member = false;
};

Membership MembershipOf(const Tables& t, const PodRow& row, std::optional<GangId> named) {
  if (!named) return {};
  if (!row.bound) return {named, true};  // The label counts until then.
  if (const auto group = PinnedGroup(t, row)) return {group, true};
  // Labels do not move a pod once it is bound.
  const GangId gang = row.gang.value_or(*named);
  const bool single = t.gangs[gang.value].key.single_pod;
  return {gang, single && row.group_pin == 0 && row.admitted_queue.has_value()};
}

void Detach(Tables& t, PodId id) {
  PodRow& row = t.pods[id.value];
  if (!row.gang) return;
  const GangId gang = *row.gang;
  // Found by binary search: rank and name are what they were when it came.
  std::vector<PodId>& list = ListOf(t, gang, row.member);
  const auto at = PlaceInOrder(t, list, id);
  MUSTER_CHECK(at != list.end() && *at == id);
  list.erase(at);
  row.gang.reset();
  row.member = false;
  RefreshSingle(t, gang);
  t.Touch(gang);
}

void Attach(Tables& t, PodId id, const Membership& next) {
  if (!next.gang) return;
  const GangId gang = *next.gang;
  PodRow& row = t.pods[id.value];
  row.gang = gang;
  row.member = next.member;
  std::vector<PodId>& list = ListOf(t, gang, next.member);
  list.insert(PlaceInOrder(t, list, id), id);
  RefreshSingle(t, gang);
  t.Touch(gang);
}

// What the pod asks for of a resource that was not counted before.
void CountResource(Tables& t, PodId pod, ResourceId id) {
  const Standing s = StandingOf(t, pod);
  const std::uint32_t width = t.columns.width();
  for (const auto& [resource, amount] : t.shapes.request(s.shape)) {
    if (resource != id) continue;
    for (const auto& node : {s.node, s.next}) {
      if (node) Add(t, {Column::kNodeUsed, node->value * width + id.value}, amount);
    }
    if (s.queue) Add(t, {Column::kQueueUsage, s.queue->value * width + id.value}, amount);
  }
}

}  // namespace

Standing StandingOf(const Tables& t, PodId id) {
  const PodRow& row = t.pods[id.value];
  Standing s{.node = t.node_of(id),
             .next = t.next_of(id),
             .queue = t.payer_of(id),
             .gang = row.member ? row.gang : std::nullopt,
             .shape = row.shape,
             .record = t.record(id)};
  s.running = s.record == Record::kBound && row.running;
  if (s.record == Record::kGone) s.gang.reset();
  // A pod that cannot end because its node is lost holds the node's room, but no more its queue's.
  if (s.record == Record::kTerminating && (!s.node || !t.nodes.row(*s.node).ready)) s.queue.reset();
  return s;
}

void Settle(Tables& t, PodId id, const Standing& before) {
  const Standing after = StandingOf(t, id);
  if (before == after) return;
  MUSTER_CHECK(!after.queue || after.node);  // Charged means placed.
  SettleNode(t, before, after);
  SettleQueue(t, before, after);
  if (before.gang) {
    CountMember(t, *before.gang, before, -1);
    t.Touch(*before.gang);
  }
  if (after.gang) {
    CountMember(t, *after.gang, after, 1);
    t.Touch(*after.gang);
  }
  // The entry may be of another gang than the pod by now, and may lack a member.
  if (const std::uint64_t number = t.pods[id.value].entry; number != 0) {
    const auto entry = t.entries.find(number);
    if (entry != t.entries.end()) t.Touch(entry->second.gang);
  }
  // It may have been the last that named a node that is gone.
  if (before.next && !t.columns.journal_open()) t.DropIfUnused(*before.next);
}

void SetRecord(Tables& t, PodId id, Record record) {
  t.columns.Set({Column::kPodRecord, id.value}, static_cast<std::int64_t>(record));
  if (record != Record::kReserved) t.columns.Set({Column::kPodNext, id.value}, 0);
}

void SetPlace(Tables& t, PodId id, std::optional<NodeId> node, std::optional<QueueId> payer) {
  // What was picked was picked on that node.
  if (node != t.node_of(id)) t.columns.Set({Column::kPodPick, id.value}, 0);
  t.columns.Set({Column::kPodNode, id.value}, node ? std::int64_t{node->value} + 1 : 0);
  t.columns.Set({Column::kPodCharge, id.value}, payer ? std::int64_t{payer->value} + 1 : 0);
  t.columns.Set({Column::kPodNext, id.value}, 0);
}

void SetNext(Tables& t, PodId id, NodeId next) {
  MUSTER_CHECK(t.record(id) == Record::kReserved && t.node_of(id) != next);
  t.columns.Set({Column::kPodNext, id.value}, std::int64_t{next.value} + 1);
}

void JoinGang(Tables& t, PodId id, std::optional<GangId> named) {
  PodRow& row = t.pods[id.value];
  const std::optional<GangId> old = row.gang;
  const Membership next = MembershipOf(t, row, named);
  if (next.gang == row.gang && next.member == row.member) {
    if (row.gang) RefreshSingle(t, *row.gang);
  } else {
    Detach(t, id);
    Attach(t, id, next);
  }
  if (old) t.DropIfUnused(*old);
  if (named) t.DropIfUnused(*named);
}

void LeaveGang(Tables& t, PodId id) {
  const std::optional<GangId> gang = t.pods[id.value].gang;
  Detach(t, id);
  if (gang) t.DropIfUnused(*gang);
}

std::optional<GangId> PinnedGroup(const Tables& t, const PodRow& row) {
  if (row.group_pin == 0) return std::nullopt;
  const auto group = t.FindGroup(t.pins.uid(row.group_pin));
  // A pin of another namespace is a forgery.
  if (!group || t.gangs[group->value].ns != row.ns) return std::nullopt;
  return group;
}

void SetGroupPin(Tables& t, PodId id, std::string_view uid) {
  PodRow& row = t.pods[id.value];
  if (row.group_pin != 0) {
    if (t.pins.uid(row.group_pin) == uid) return;
    t.pins.Remove(row.group_pin, id);
  }
  row.group_pin = uid.empty() ? 0 : t.pins.Add(uid, id);
}

ResourceId InternResource(Tables& t, std::string_view name) {
  if (const auto found = t.resources.Find(name)) return *found;
  const ResourceId id = t.resources.Intern(name);
  if (id.value >= t.columns.width()) {
    // Doubling, since every row moves.
    const std::uint32_t width = t.columns.width() * 2;
    t.columns.Widen(width);
    t.nodes.Widen(width);
  }
  t.shapes.Recompile(t.resources, id);
  for (std::uint32_t i = 0; i < t.pods.size(); ++i) {
    if (t.pods[i].live) CountResource(t, PodId{i}, id);
  }
  return id;
}

bool MemberLess(const Tables& t, PodId a, PodId b) {
  const PodRow& x = t.pods[a.value];
  const PodRow& y = t.pods[b.value];
  // No rank (-1) is the largest unsigned number.
  const auto rank_x = static_cast<std::uint32_t>(x.rank);
  const auto rank_y = static_cast<std::uint32_t>(y.rank);
  return std::tie(rank_x, x.name, x.uid) < std::tie(rank_y, y.name, y.uid);
}

}  // namespace muster::scheduler
