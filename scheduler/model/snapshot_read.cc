#include <algorithm>
#include <string>

#include "scheduler/model/apply.h"
#include "scheduler/model/ledger.h"
#include "scheduler/model/records.h"
#include "scheduler/model/snapshot.h"

namespace muster::scheduler {
namespace {

std::optional<QueueId> QueueOrNone(Tables& t, const std::string& name) {
  if (name.empty()) return std::nullopt;
  return t.InternQueue(name);
}

void Restore(Tables& t, const GlobalRecord& r) {
  t.next_entry = r.next_entry;
  t.synced = r.synced;
  t.intact_from = r.intact_from;
}

void Restore(Tables& t, const PodRecord& r) {
  const PodId id = t.NewPod(r.uid);
  const auto named = r.ours ? std::optional(t.InternGang(r.gang)) : std::nullopt;
  PodRow& row = t.pods[id.value];
  row.name = r.name;
  row.ns = t.InternNamespace(r.ns);
  row.shape = t.shapes.Acquire(r.shape, t.resources);
  row.images = t.images.Acquire(r.images);
  row.queue = QueueOrNone(t, r.queue);
  row.admitted_queue = QueueOrNone(t, r.admitted_queue);
  row.priority = r.priority;
  row.rank = r.rank;
  row.sub_group = r.sub_group;
  row.created = r.created;
  row.owner_first_seen = r.owner_first_seen;
  row.entry = r.entry;
  row.bound = r.bound;
  row.running = r.running;
  row.bound_by = r.bound_by;
  row.pin = r.pin;
  SetGroupPin(t, id, r.group_pin);
  // From nothing to what the record says, through the ledger: sums are made, not read.
  const Standing before{.shape = row.shape};
  JoinGang(t, id, named);
  SetRecord(t, id, r.record);
  const auto node = r.node.empty() ? std::nullopt : std::optional(t.InternNode(r.node));
  SetPlace(t, id, node, QueueOrNone(t, r.payer));
  if (!r.next.empty()) SetNext(t, id, t.InternNode(r.next));
  t.columns.Set({Column::kPodPick, id.value}, r.pick);
  Settle(t, id, before);
}

void Restore(Tables& t, const EntryRecord& r) {
  const GangId gang = t.InternGang(r.gang);
  EntryRow& entry = t.entries[r.id];
  entry.id = r.id;
  entry.gang = gang;
  entry.gang_uid = r.gang_uid;
  entry.state = r.state;
  entry.queue = t.InternQueue(r.queue);
  entry.charges = r.charges;
  entry.min_member = r.min_member;
  entry.sub_groups = r.sub_groups;
  entry.timeout_ms = r.timeout_ms;
  for (const EntryRecord::Member& member : r.members) {
    entry.members.push_back({.pod = member.pod,
                             .node = t.InternNode(member.node),
                             .released = member.released,
                             .stranded = member.stranded});
    if (member.awaited) t.awaited.Insert(member.pod, r.id);
  }
  if (!r.first_seen.empty()) entry.first_seen = r.first_seen.front();
  if (!r.failures.empty()) entry.failed = r.failures.front();
  t.gangs[gang.value].entries.push_back(r.id);  // Lines come by id.
}

void Restore(Tables& t, const SuccessRecord& r) {
  GangRow& gang = t.gangs[t.InternGang(r.gang).value];
  gang.gone_successes = r.gone;
  gang.earlier_successes = r.earlier;
}

// Reads one value of type T and hands it on.
template <class T>
bool Take(TextReader& in, auto use) {
  T value{};
  in(value);
  if (!in.Done()) return false;
  use(value);
  return true;
}

bool ReadLine(Tables& t, std::string_view line) {
  if (line.front() == '=') return true;  // Derived.
  TextReader in(line);
  const auto apply = [&t](const auto& event) { ApplyEvent(t, event); };
  const auto restore = [&t](const auto& record) { Restore(t, record); };
  if (in.kind() == "global") return Take<GlobalRecord>(in, restore);
  if (in.kind() == "resource") {
    return Take<std::string>(in, [&t](const std::string& name) { InternResource(t, name); });
  }
  if (in.kind() == "namespace") return Take<NamespaceSeen>(in, apply);
  if (in.kind() == "class") return Take<PriorityClassSeen>(in, apply);
  if (in.kind() == "gone-class") {
    return Take<PriorityClassSeen>(in, [&t](const auto& e) { t.gone_classes[e.name] = e.value; });
  }
  if (in.kind() == "queue") return Take<QueueSeen>(in, apply);
  if (in.kind() == "node") return Take<NodeSeen>(in, apply);
  if (in.kind() == "gang") return Take<GangSeen>(in, apply);
  if (in.kind() == "successes") return Take<SuccessRecord>(in, restore);
  if (in.kind() == "pod") return Take<PodRecord>(in, restore);
  if (in.kind() == "entry") return Take<EntryRecord>(in, restore);
  if (in.kind() == "gone") {
    return Take<Uid>(in, [&t](const Uid& uid) { t.gone.Add(uid); });
  }
  return false;
}

}  // namespace

Result<void> ReadSnapshot(Tables& t, std::string_view text) {
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (end == std::string_view::npos || line.empty() || !ReadLine(t, line)) {
      return Error{Code::kInvalidArgument, "line " + std::to_string(number) + " does not read"};
    }
    text.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace muster::scheduler
