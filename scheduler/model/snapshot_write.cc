#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/model/ledger.h"
#include "scheduler/model/records.h"
#include "scheduler/model/snapshot.h"

namespace muster::scheduler {
namespace {

// Without zeros: a resource that nobody uses leaves no trace.
Amounts ByName(const Tables& t, std::span<const std::int64_t> row) {
  Amounts amounts;
  for (std::uint32_t i = 0; i < t.resources.size(); ++i) {
    if (row[i] != 0) amounts.emplace_back(t.resources.name(ResourceId{i}), row[i]);
  }
  std::ranges::sort(amounts);
  return amounts;
}

const std::string& NameOf(const Tables& t, std::optional<QueueId> queue) {
  static const std::string none;  // Names of objects are never empty.
  return queue ? t.queues[queue->value].spec.name : none;
}

PodRecord RecordOf(const Tables& t, PodId id) {
  const PodRow& row = t.pods[id.value];
  PodRecord r{.uid = row.uid,
              .ns = t.namespaces[row.ns.value].name,
              .name = row.name,
              .ours = row.gang.has_value(),
              .gang = row.gang ? t.gangs[row.gang->value].key : Key{},
              .shape = t.shapes.shape(row.shape),
              .images = t.images.NamesOf(row.images),
              .queue = NameOf(t, row.queue),
              .admitted_queue = NameOf(t, row.admitted_queue),
              .group_pin = row.group_pin == 0 ? Uid() : t.pins.uid(row.group_pin),
              .pin = row.pin,
              .priority = row.priority,
              .rank = row.rank,
              .sub_group = row.sub_group,
              .created = row.created,
              .owner_first_seen = row.owner_first_seen,
              .entry = row.entry,
              .bound_by = row.bound_by,
              .bound = row.bound,
              .running = row.running,
              .record = t.record(id),
              .node = {},
              .next = {},
              .payer = NameOf(t, t.payer_of(id)),
              .pick = t.columns.Get({Column::kPodPick, id.value})};
  if (const auto node = t.node_of(id)) r.node = t.nodes.row(*node).name;
  if (const auto next = t.next_of(id)) r.next = t.nodes.row(*next).name;
  return r;
}

EntryRecord RecordOf(const Tables& t, const EntryRow& row) {
  EntryRecord r{.id = row.id,
                .gang = t.gangs[row.gang.value].key,
                .gang_uid = row.gang_uid,
                .state = row.state,
                .queue = NameOf(t, row.queue),
                .charges = row.charges,
                .min_member = row.min_member,
                .sub_groups = row.sub_groups,
                .members = {},
                .timeout_ms = row.timeout_ms,
                .first_seen = {},
                .failures = {}};
  for (const EntryRow::Member& member : row.members) {
    const std::uint64_t* awaited = t.awaited.Find(member.pod);
    r.members.push_back({.pod = member.pod,
                         .node = t.nodes.row(member.node).name,
                         .released = member.released,
                         .awaited = awaited != nullptr && *awaited == row.id,
                         .stranded = member.stranded});
  }
  if (row.first_seen) r.first_seen.push_back(*row.first_seen);
  if (row.failed) r.failures.push_back(*row.failed);
  return r;
}

void WriteNodes(const Tables& t, TextWriter& out) {
  for (const NodeId id : t.nodes.by_name()) {
    const NodeRow& row = t.nodes.row(id);
    out.Line("node", NodeSeen{.name = row.name,
                              .uid = row.uid,
                              .allocatable = ByName(t, t.nodes.allocatable(id)),
                              .ready = row.ready,
                              .unschedulable = row.unschedulable,
                              .labels = row.labels,
                              .taints = row.taints,
                              .cached_models = row.cached_models,
                              .images = t.images.HeldBy(id)});
  }
}

void WriteSmallKinds(const Tables& t, TextWriter& out) {
  // All of them: a name once interned widens every row for good.
  std::vector<std::string> names;
  for (std::uint32_t i = 1; i < t.resources.size(); ++i) {
    names.push_back(t.resources.name(ResourceId{i}));
  }
  std::ranges::sort(names);
  for (const std::string& name : names) out.Line("resource", name);

  std::vector<const NamespaceRow*> namespaces;
  for (const NamespaceRow& row : t.namespaces) {
    if (row.exists) namespaces.push_back(&row);
  }
  std::ranges::sort(namespaces, {}, &NamespaceRow::name);
  for (const NamespaceRow* row : namespaces) {
    out.Line("namespace",
             NamespaceSeen{
                 .name = row->name, .labels = row->labels, .default_queue = row->default_queue});
  }
  for (const auto& [name, value] : t.priority_classes) {
    out.Line("class", PriorityClassSeen{.name = name, .value = value});
  }
  for (const auto& [name, value] : t.gone_classes) {
    out.Line("gone-class", PriorityClassSeen{.name = name, .value = value});
  }

  std::vector<const QueueRow*> queues;
  for (const QueueRow& row : t.queues) {
    if (row.exists) queues.push_back(&row);
  }
  std::ranges::sort(queues, {}, [](const QueueRow* row) { return row->spec.name; });
  for (const QueueRow* row : queues) out.Line("queue", row->spec);
}

std::vector<GangId> GangsByKey(const Tables& t) {
  std::vector<GangId> ids;
  for (std::uint32_t i = 0; i < t.gangs.size(); ++i) {
    if (t.gangs[i].live) ids.push_back(GangId{i});
  }
  std::ranges::sort(ids, {}, [&t](GangId id) -> const Key& { return t.gangs[id.value].key; });
  return ids;
}

void WriteGangs(const Tables& t, const std::vector<GangId>& gangs, TextWriter& out) {
  for (const GangId id : gangs) {
    const GangRow& row = t.gangs[id.value];
    if (!row.exists || row.key.single_pod) continue;  // The others follow from their pods.
    out.Line("gang", GangSeen{.uid = row.uid,
                              .key = row.key,
                              .queue = NameOf(t, row.queue),
                              .queue_named = row.queue_named,
                              .min_member = row.min_member,
                              .sub_groups = row.sub_groups,
                              .topology = row.topology,
                              .priority_class = row.priority_class,
                              .timeout_ms = row.timeout_ms,
                              .created = row.created,
                              .generation = row.generation,
                              .succeeded = row.stored_succeeded,
                              .ran = row.stored_ran,
                              .admitted_queue = NameOf(t, row.stored_queue),
                              .invalid = row.invalid});
    if (row.gone_successes.empty() && row.earlier_successes == 0) continue;
    out.Line("successes", SuccessRecord{row.key, row.gone_successes, row.earlier_successes});
  }
}

void WritePods(const Tables& t, TextWriter& out) {
  std::vector<PodId> ids;
  for (std::uint32_t i = 0; i < t.pods.size(); ++i) {
    if (t.pods[i].live) ids.push_back(PodId{i});
  }
  std::ranges::sort(ids, {}, [&t](PodId id) -> const Uid& { return t.pods[id.value].uid; });
  for (const PodId id : ids) out.Line("pod", RecordOf(t, id));
}

// Sums and lists, so that equal text means equal sums too.
void WriteDerived(const Tables& t, const std::vector<GangId>& gangs, TextWriter& out) {
  std::vector<std::pair<std::string, Amounts>> sums;
  for (std::uint32_t i = 0; i < t.nodes.rows(); ++i) {
    const Amounts used = ByName(t, t.used(NodeId{i}));
    if (!used.empty()) sums.emplace_back(t.nodes.row(NodeId{i}).name, used);
  }
  std::ranges::sort(sums);
  for (const auto& sum : sums) out.Line("=used", sum);
  sums.clear();
  for (std::uint32_t i = 0; i < t.queues.size(); ++i) {
    const Amounts usage = ByName(t, t.usage(QueueId{i}));
    if (!usage.empty()) sums.emplace_back(t.queues[i].spec.name, usage);
  }
  std::ranges::sort(sums);
  for (const auto& sum : sums) out.Line("=usage", sum);
  for (const auto& image : t.images.Spread()) out.Line("=image", image);
  for (const GangId id : gangs) {
    const GangRow& row = t.gangs[id.value];
    const auto counts =
        t.columns.Row(Column::kGangCount, std::size_t{id.value} * kGangCounters, kGangCounters);
    std::vector<Uid> members;
    members.reserve(row.members.size() + row.others.size());
    for (const PodId pod : row.members) members.push_back(t.pods[pod.value].uid);
    for (const PodId pod : row.others) members.push_back(t.pods[pod.value].uid);
    out.Line("=gang", row.key, row.uid, row.exists, NameOf(t, row.queue), row.created, row.entries,
             std::vector<std::int64_t>(counts.begin(), counts.end()), members);
  }
}

}  // namespace

std::string WriteSnapshot(const Tables& t) {
  TextWriter out;
  out.Line(
      "global",
      GlobalRecord{.next_entry = t.next_entry, .synced = t.synced, .intact_from = t.intact_from});
  WriteSmallKinds(t, out);
  WriteNodes(t, out);
  const std::vector<GangId> gangs = GangsByKey(t);
  WriteGangs(t, gangs, out);
  WritePods(t, out);
  for (const auto& [id, entry] : t.entries) out.Line("entry", RecordOf(t, entry));
  for (const Uid& uid : t.gone.InOrder()) out.Line("gone", uid);
  WriteDerived(t, gangs, out);
  return out.Take();
}

}  // namespace muster::scheduler
