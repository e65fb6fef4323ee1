#include "scheduler/model/transaction.h"

#include <algorithm>

#include "scheduler/base/check.h"
#include "scheduler/model/ledger.h"

namespace muster::scheduler {
namespace {

// The members of the entry as they stand: each on its node, by our decision or already bound.
std::vector<EntryRow::Member> MembersOf(Tables& t, const Transaction::Entry& e, std::uint64_t id) {
  std::vector<EntryRow::Member> members;
  members.reserve(e.pods.size());
  for (const PodId pod : e.pods) {
    PodRow& row = t.pods[pod.value];
    const auto node = t.node_of(pod);
    MUSTER_CHECK(node.has_value());
    MUSTER_CHECK(row.entry == 0 || row.entry == id);
    row.entry = id;
    members.push_back({.pod = row.uid, .node = *node});
  }
  return members;
}

// Members that the entry no longer names have been touched, are gone, or are bound elsewhere.
void LeaveEntry(Tables& t, std::uint64_t id, const EntryRow& entry) {
  for (const EntryRow::Member& member : entry.members) {
    const auto pod = t.FindPod(member.pod);
    if (pod && t.pods[pod->value].entry == id) t.pods[pod->value].entry = 0;
  }
}

void CheckNothingForgotten(const Tables& t) {
  for (const Columns::Old& old : t.columns.journal()) {
    if (old.cell.column != Column::kPodRecord) continue;
    const PodId pod{old.cell.row};
    // Removed in a what-if that was not rolled back.
    MUSTER_CHECK(t.record(pod) != Record::kGone);
    // Reserved means that an entry says so.
    if (t.record(pod) == Record::kReserved) MUSTER_CHECK(t.pods[pod.value].entry != 0);
  }
}

}  // namespace

Transaction::Transaction(Cluster& cluster) : cluster_(cluster) {
  MUSTER_CHECK(cluster_.tables().cause.empty());
  cluster_.tables().columns.OpenJournal();
}

Transaction::~Transaction() {
  if (!open_) return;  // Committed.
  cluster_.tables().columns.RollbackTo(0);
  cluster_.tables().columns.CloseJournal();
}

void Transaction::Place(std::span<const PodId> pods, NodeId node) {
  MUSTER_CHECK(open_);
  Tables& t = cluster_.tables();
  for (const PodId pod : pods) {
    const PodRow& row = t.pods[pod.value];
    MUSTER_CHECK(t.record(pod) == Record::kPending);
    MUSTER_CHECK(row.gang.has_value() && row.member);
    MUSTER_CHECK(t.nodes.row(node).exists);
    const Standing before = StandingOf(t, pod);
    SetRecord(t, pod, Record::kReserved);
    SetPlace(t, pod, node, t.gangs[row.gang->value].queue);
    Settle(t, pod, before);
  }
}

void Transaction::Remove(PodId pod) {
  MUSTER_CHECK(open_);
  Tables& t = cluster_.tables();
  MUSTER_CHECK(t.pods[pod.value].live && t.record(pod) != Record::kGone);
  const Standing before = StandingOf(t, pod);
  SetRecord(t, pod, Record::kGone);
  SetPlace(t, pod, std::nullopt, std::nullopt);
  Settle(t, pod, before);
}

void Transaction::Set(Cell cell, std::int64_t value) {
  MUSTER_CHECK(open_);
  // All other cells follow from where pods are.
  MUSTER_CHECK(cell.column == Column::kPodPick);
  cluster_.tables().columns.Set(cell, value);
}

std::size_t Transaction::mark() const {
  return cluster_.columns().mark();
}

void Transaction::RollbackTo(std::size_t mark) {
  MUSTER_CHECK(open_);
  cluster_.tables().columns.RollbackTo(mark);
}

std::uint64_t Transaction::Commit(const Entry& entry) {
  MUSTER_CHECK(open_);
  MUSTER_CHECK(!entry.pods.empty());
  Tables& t = cluster_.tables();
  const std::uint64_t id = entry.id == 0 ? t.next_entry : entry.id;
  GangRow& gang = t.gangs[entry.gang.value];
  if (entry.id == 0) {
    ++t.next_entry;
    MUSTER_CHECK(gang.entries.empty() || gang.entries.back() < id);
    gang.entries.push_back(id);
  } else {
    const auto open = t.entries.find(id);
    MUSTER_CHECK(open != t.entries.end() && open->second.gang == entry.gang);
    MUSTER_CHECK(open->second.state == EntryState::kBind);
    LeaveEntry(t, id, open->second);
  }
  // An entry that goes on is charged where it was, though its gang may name another queue by now.
  const auto payer = t.payer_of(entry.pods.front());
  EntryRow& row = t.entries[id];
  row = {.id = id,
         .gang = entry.gang,
         .gang_uid = gang.uid,
         .queue = payer.value_or(gang.queue),
         .charges = entry.charges,
         .min_member = entry.min_member,
         .members = MembersOf(t, entry, id),
         .timeout_ms = entry.timeout_ms,
         .first_seen = entry.id == 0 ? entry.now : row.first_seen.value_or(entry.now)};
  CheckNothingForgotten(t);
  t.columns.CloseJournal();
  open_ = false;
  return id;
}

}  // namespace muster::scheduler
