#include "scheduler/model/tables.h"

#include <algorithm>

#include "scheduler/base/check.h"

namespace muster::scheduler {
namespace {

constexpr std::uint32_t kFirstWidth = 8;

// A PodGroup and a single pod of one name are two gangs.
std::uint64_t HashKey(const Key& key) {
  const std::uint64_t hash = HashText(key.ns) * 31 + HashText(key.name);
  return key.single_pod ? ~hash : hash;
}

// A row that is free, else the next new one.
template <class Id>
Id Take(std::vector<Id>& free, std::size_t rows) {
  if (free.empty()) return Id{static_cast<std::uint32_t>(rows)};
  const Id id = free.back();
  free.pop_back();
  return id;
}

}  // namespace

Tables::Tables() {
  columns.Widen(kFirstWidth);
  nodes.Widen(kFirstWidth);
}

std::optional<PodId> Tables::FindPod(std::string_view uid) const {
  const auto row =
      pod_index_.Find(HashText(uid), [&](std::uint32_t r) { return pods[r].uid == uid; });
  if (!row) return std::nullopt;
  return PodId{*row};
}

std::optional<GangId> Tables::FindGang(const Key& key) const {
  const auto row =
      gang_index_.Find(HashKey(key), [&](std::uint32_t r) { return gangs[r].key == key; });
  if (!row) return std::nullopt;
  return GangId{*row};
}

std::optional<GangId> Tables::FindGroup(std::string_view uid) const {
  const auto row =
      group_index_.Find(HashText(uid), [&](std::uint32_t r) { return gangs[r].uid == uid; });
  if (!row) return std::nullopt;
  return GangId{*row};
}

std::optional<QueueId> Tables::FindQueue(std::string_view name) const {
  const auto row = queue_index_.Find(HashText(name),
                                     [&](std::uint32_t r) { return queues[r].spec.name == name; });
  if (!row) return std::nullopt;
  return QueueId{*row};
}

std::optional<NamespaceId> Tables::FindNamespace(std::string_view name) const {
  const auto row = namespace_index_.Find(
      HashText(name), [&](std::uint32_t r) { return namespaces[r].name == name; });
  if (!row) return std::nullopt;
  return NamespaceId{*row};
}

PodId Tables::NewPod(const Uid& uid) {
  const PodId id = Take(free_pods_, pods.size());
  if (id.value == pods.size()) {
    pods.emplace_back();
    columns.Grow(Column::kPodRecord, pods.size());
    columns.Grow(Column::kPodNext, pods.size());
  }
  pods[id.value].uid = uid;
  pods[id.value].live = true;
  pod_index_.Insert(HashText(uid), id.value);
  columns.Set({Column::kPodRecord, id.value}, static_cast<std::int64_t>(Record::kPending));
  return id;
}

void Tables::FreePod(PodId id) {
  // What it counted for has been taken back, or the sums would keep it for ever.
  PodRow& row = pods[id.value];
  MUSTER_CHECK(row.live);
  MUSTER_CHECK(!node_of(id) && !next_of(id) && !payer_of(id));
  MUSTER_CHECK(!row.gang && row.group_pin == 0);
  pod_index_.Erase(HashText(row.uid), id.value);
  row = PodRow{};
  dead_pods_.push_back(id);  // Not given out again before readers have seen that it is gone.
}

GangId Tables::InternGang(const Key& key) {
  if (const auto found = FindGang(key)) {
    gangs[found->value].live = true;
    return *found;
  }
  const GangId id = Take(free_gangs_, gangs.size());
  if (id.value == gangs.size()) {
    gangs.emplace_back();
    columns.Grow(Column::kGangCount, gangs.size() * kGangCounters);
  }
  GangRow& gang = gangs[id.value];
  gang.key = key;
  gang.live = true;
  gang.ns = InternNamespace(key.ns);
  gang.queue = DefaultQueueOf(gang.ns);
  gang_index_.Insert(HashKey(key), id.value);
  MUSTER_CHECK(gang.members.empty() && gang.others.empty() && gang.entries.empty());
  return id;
}

QueueId Tables::InternQueue(std::string_view name) {
  if (const auto found = FindQueue(name)) return *found;
  const auto row = static_cast<std::uint32_t>(queues.size());
  queues.emplace_back();
  queues.back().spec.name = name;
  queue_index_.Insert(HashText(name), row);
  columns.Grow(Column::kQueueUsage, queues.size() * columns.width());
  return QueueId{row};
}

NamespaceId Tables::InternNamespace(std::string_view name) {
  if (const auto found = FindNamespace(name)) return *found;
  const auto row = static_cast<std::uint32_t>(namespaces.size());
  namespaces.push_back(
      {.name = std::string(name), .labels = {}, .default_queue = {}, .exists = false});
  namespace_index_.Insert(HashText(name), row);
  return NamespaceId{row};
}

QueueId Tables::DefaultQueueOf(NamespaceId ns) {
  const std::string& named = namespaces[ns.value].default_queue;
  return InternQueue(named.empty() ? kDefaultQueue : named);
}

NodeId Tables::InternNode(std::string_view name) {
  const NodeId id = nodes.Intern(name);
  columns.Grow(Column::kNodeUsed, std::size_t{nodes.rows()} * columns.width());
  return id;
}

void Tables::DropIfUnused(GangId id) {
  GangRow& gang = gangs[id.value];
  if (!gang.live || gang.exists || !gang.uid.empty()) return;
  if (!gang.members.empty() || !gang.others.empty() || !gang.entries.empty()) return;
  // No fact of it is left: it reads like a gang that was never seen.
  gang = {.key = gang.key, .ns = gang.ns, .queue = DefaultQueueOf(gang.ns)};
  dead_gangs_.push_back(id);
}

void Tables::DropIfUnused(NodeId id) {
  if (nodes.row(id).exists || !columns.PodsOn(id).empty()) return;
  // Rare enough for a scan: only the last pod of a lost node gets here.
  for (const auto& [number, entry] : entries) {
    for (const EntryRow::Member& member : entry.members) {
      if (member.node == id) return;
      const std::optional<PodId> pod = FindPod(member.pod);
      if (pod && next_of(*pod) == id) return;
    }
  }
  nodes.Drop(id);
}

void Tables::SetGroupUid(GangId id, const Uid& uid) {
  GangRow& gang = gangs[id.value];
  MUSTER_CHECK(!gang.key.single_pod);  // Theirs is the uid of the pod.
  if (gang.uid == uid) return;
  gang.gone_successes.clear();
  gang.earlier_successes = 0;
  if (!gang.uid.empty()) group_index_.Erase(HashText(gang.uid), id.value);
  gang.uid = uid;
  if (!uid.empty()) group_index_.Insert(HashText(uid), id.value);
}

void Tables::Touch(GangId id) {
  Note(touched.gangs, id);
}
void Tables::Touch(QueueId id) {
  Note(touched.queues, id);
}
void Tables::Touch(NodeId id) {
  Note(touched.nodes, id);
}

template <class Id>
void Tables::Note(std::vector<Touched::Item<Id>>& list, Id id) {
  if (cause.empty()) return;
  if (touched.causes.empty() || touched.causes.back() != cause) touched.causes.push_back(cause);
  // Events come in runs over the same rows: one note per row and cause is enough.
  const auto number = static_cast<std::uint32_t>(touched.causes.size() - 1);
  if (!list.empty() && list.back().id == id && list.back().cause == number) return;
  list.push_back({id, number});
}

void Tables::ClearTouched() {
  // Every reader has seen what was dropped, so the rows may mean something else from here on.
  touched = Touched{};
  shapes.Recycle();
  nodes.Recycle();
  free_pods_.insert(free_pods_.end(), dead_pods_.begin(), dead_pods_.end());
  dead_pods_.clear();
  std::ranges::sort(dead_gangs_);
  const auto repeats = std::ranges::unique(dead_gangs_);
  dead_gangs_.erase(repeats.begin(), repeats.end());
  for (const GangId id : dead_gangs_) {
    GangRow& gang = gangs[id.value];
    if (gang.live) continue;  // Named again meanwhile.
    gang_index_.Erase(HashKey(gang.key), id.value);
    gang = GangRow{};
    free_gangs_.push_back(id);
  }
  dead_gangs_.clear();
}

}  // namespace muster::scheduler
