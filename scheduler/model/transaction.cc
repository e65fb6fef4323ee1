#include "scheduler/model/transaction.h"

#include <algorithm>

#include "scheduler/base/check.h"
#include "scheduler/model/ledger.h"

namespace muster::scheduler {
namespace {

// As it stands: on its node, by our decision or already bound.
EntryRow::Member JoiningMember(Tables& t, PodId pod, std::uint64_t id) {
  PodRow& row = t.pods[pod.value];
  const auto node = t.node_of(pod);
  MUSTER_CHECK(node.has_value());
  MUSTER_CHECK(row.entry == 0);
  row.entry = id;
  return {.pod = row.uid, .node = *node};
}

std::vector<EntryRow::Member> MembersOf(Tables& t, const Transaction::Entry& e, std::uint64_t id) {
  std::vector<EntryRow::Member> members;
  members.reserve(e.pods.size());
  for (const PodId pod : e.pods) members.push_back(JoiningMember(t, pod, id));
  return members;
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

Transaction::Transaction(Cluster& cluster, std::uint64_t joins) : cluster_(cluster), joins_(joins) {
  MUSTER_CHECK(cluster_.tables().cause.empty());
  MUSTER_CHECK(joins == 0 || cluster_.entries().contains(joins));
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
    MUSTER_CHECK(t.nodes.row(node).exists);
    const Standing before = StandingOf(t, pod);
    if (t.record(pod) == Record::kReserved) {
      MUSTER_CHECK(joins_ != 0 && row.entry == joins_);
      SetNext(t, pod, node);
      t.columns.Set({Column::kPodPick, pod.value}, 0);
    } else {
      MUSTER_CHECK(t.record(pod) == Record::kPending);
      MUSTER_CHECK(row.gang.has_value() && row.member);
      SetRecord(t, pod, Record::kReserved);
      SetPlace(t, pod, node,
               joins_ == 0 ? t.gangs[row.gang->value].queue : t.entries.at(joins_).queue);
    }
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
  MUSTER_CHECK(open_ && joins_ == 0);
  MUSTER_CHECK(!entry.pods.empty());
  Tables& t = cluster_.tables();
  const std::uint64_t id = t.next_entry++;
  GangRow& gang = t.gangs[entry.gang.value];
  MUSTER_CHECK(gang.entries.empty() || gang.entries.back() < id);
  gang.entries.push_back(id);
  // Bound members are charged where they were, though the gang may name another queue by now.
  const auto payer = t.payer_of(entry.pods.front());
  t.entries[id] = {.id = id,
                   .gang = entry.gang,
                   .gang_uid = gang.uid,
                   .queue = payer.value_or(gang.queue),
                   .charges = entry.charges,
                   .min_member = entry.min_member,
                   .sub_groups = entry.sub_groups,
                   .members = MembersOf(t, entry, id),
                   .timeout_ms = entry.timeout_ms,
                   .first_seen = entry.now};
  Close();
  return id;
}

void Transaction::Amend(std::span<const Change> changes) {
  MUSTER_CHECK(open_ && joins_ != 0);
  Tables& t = cluster_.tables();
  EntryRow& entry = t.entries.at(joins_);
  MUSTER_CHECK(entry.state == EntryState::kBind);
  std::vector<NodeId> left;
  for (const Change& change : changes) {
    PodRow& row = t.pods[change.pod.value];
    if (change.replaces.empty()) {
      entry.members.push_back(JoiningMember(t, change.pod, joins_));
      continue;
    }
    const auto member = std::ranges::find(entry.members, change.replaces, &EntryRow::Member::pod);
    MUSTER_CHECK(member != entry.members.end());
    if (row.uid == change.replaces) {
      member->stranded = false;
      continue;
    }
    const auto lost = t.FindPod(change.replaces);
    if (lost && t.pods[lost->value].entry == joins_) {
      // A Binding of it may still act.
      MUSTER_CHECK(t.record(*lost) != Record::kReserved);
      t.pods[lost->value].entry = 0;
    }
    left.push_back(member->node);
    *member = JoiningMember(t, change.pod, joins_);
  }
  Close();
  for (const NodeId node : left) t.DropIfUnused(node);
}

void Transaction::Close() {
  CheckNothingForgotten(cluster_.tables());
  cluster_.tables().columns.CloseJournal();
  open_ = false;
}

}  // namespace muster::scheduler
