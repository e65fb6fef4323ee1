// Journal entries: what a leader before this one promised, and what has become of ours.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/base/check.h"
#include "scheduler/model/apply.h"
#include "scheduler/model/ledger.h"
#include "scheduler/model/pins.h"

namespace muster::scheduler {
namespace {

// Found bound where its entry says: that is better than what the pod says of itself.
void Vouch(Tables& t, PodId id, const EntryRow& entry) {
  const Standing before = StandingOf(t, id);
  PinByEntry(t, id, entry);
  JoinGang(t, id, t.pods[id.value].gang);
  const std::optional<QueueId> payer = SettlePayer(t, id);
  SetPlace(t, id, t.node_of(id), payer);
  Settle(t, id, before);
}

// An unbound pod onto the node that the entry names.
void Reserve(Tables& t, PodId id, std::uint64_t entry, NodeId node, QueueId queue) {
  PodRow& row = t.pods[id.value];
  if (row.entry != 0) return;  // A pod stands in one entry.
  row.entry = entry;
  if (row.gang) t.Touch(*row.gang);  // Perhaps not the entry's: its label or pin was edited.
  t.Touch(t.entries.at(entry).gang);
  const Record record = t.record(id);
  const bool here = t.node_of(id) == node;
  const bool own_word = row.pin == Pin::kOpen && row.gang;
  if (own_word && here && IsMarked(row)) Vouch(t, id, t.entries.at(entry));
  if (row.bound || record == Record::kReserved) return;
  if (record == Record::kSucceeded || record == Record::kFailed) return;
  const Standing before = StandingOf(t, id);
  // A terminating pod may have been bound by a request that is still under way.
  if (record != Record::kTerminating) SetRecord(t, id, Record::kReserved);
  SetPlace(t, id, node, row.gang ? std::optional(queue) : std::nullopt);
  Settle(t, id, before);
}

// By id and gang: an id of a former life may have been given out again by another.
EntryRow* OpenEntry(Tables& t, std::uint64_t id, const Uid& gang) {
  const auto it = t.entries.find(id);
  if (it == t.entries.end() || it->second.gang_uid != gang) return nullptr;
  return &it->second;
}

EntryRow::Member* MemberOf(Tables& t, std::uint64_t id, const Uid& pod) {
  const auto entry = t.entries.find(id);
  if (entry == t.entries.end()) return nullptr;
  auto& members = entry->second.members;
  const auto it = std::ranges::find(members, pod, &EntryRow::Member::pod);
  return it == members.end() ? nullptr : &*it;
}

// The pod, if the entry has it reserved.
std::optional<PodId> HeldBy(const Tables& t, std::uint64_t id, const Uid& uid) {
  const auto pod = t.FindPod(uid);
  if (!pod || t.pods[pod->value].entry != id) return std::nullopt;
  if (t.record(*pod) != Record::kReserved) return std::nullopt;
  return pod;
}

// What the entry held and nobody has seen bound is free.
void CloseMember(Tables& t, std::uint64_t entry, const EntryRow::Member& member) {
  const std::uint64_t* awaiting = t.awaited.Find(member.pod);
  if (awaiting != nullptr && *awaiting == entry) t.awaited.Erase(member.pod);
  const auto id = t.FindPod(member.pod);
  if (!id || t.pods[id->value].entry != entry) return;
  PodRow& row = t.pods[id->value];
  row.entry = 0;
  if (row.gang) t.Touch(*row.gang);
  if (row.bound || !t.node_of(*id)) return;
  const Standing before = StandingOf(t, *id);
  if (t.record(*id) == Record::kReserved) SetRecord(t, *id, Record::kPending);
  SetPlace(t, *id, std::nullopt, std::nullopt);
  Settle(t, *id, before);
}

void AddMembers(Tables& t, EntryRow& entry, const EntrySeen& e) {
  for (const EntrySeen::Member& seen : e.members) {
    // The node may be gone: then the member waits on a ghost until it is touched.
    const NodeId node = t.InternNode(seen.node);
    entry.members.push_back({.pod = seen.pod, .node = node});
    if (t.gone.Contains(seen.pod)) {
      entry.members.back().released = true;
    } else if (!t.FindPod(seen.pod)) {
      t.awaited.Insert(seen.pod, e.id);
    }
  }
  for (const EntryRow::Member& member : entry.members) {
    const auto pod = t.FindPod(member.pod);
    if (pod) Reserve(t, *pod, e.id, member.node, entry.queue);
  }
}

// The status was written by a leader before this one: of what it counts, what cannot be seen is
// gone. Later successes come on top. One that was not written before its pod went is lost.
void CountEarlierSuccesses(Tables& t, GangId id) {
  GangRow& gang = t.gangs[id.value];
  if (!gang.exists || gang.key.single_pod) return;
  const auto row = static_cast<std::uint32_t>(Record::kSucceeded);
  const auto here = static_cast<std::int32_t>(
                        t.columns.Get({Column::kGangCount, id.value * kGangCounters + row})) +
                    static_cast<std::int32_t>(gang.gone_successes.size());
  gang.earlier_successes = std::max(gang.earlier_successes, gang.stored_succeeded - here);
}

}  // namespace

void ApplyEvent(Tables& t, const EntrySeen& e) {
  t.next_entry = std::max(t.next_entry, e.id + 1);
  if (const auto it = t.entries.find(e.id); it != t.entries.end()) {
    // Seen again: an entry only moves towards Abandon.
    if (e.state == EntryState::kAbandon && it->second.state != e.state) {
      it->second.state = e.state;
      t.Touch(it->second.gang);
    }
    return;
  }
  const GangId gang = t.InternGang(e.key);
  EntryRow& entry = t.entries[e.id];
  entry = {.id = e.id,
           .gang = gang,
           .gang_uid = e.gang,
           .state = e.state,
           .queue = t.InternQueue(e.queue),
           .charges = e.charges,
           .min_member = e.min_member,
           .sub_groups = e.sub_groups,
           .timeout_ms = e.timeout_ms};
  std::vector<std::uint64_t>& open = t.gangs[gang.value].entries;
  // At take-over pages are read in any order.
  open.insert(std::ranges::lower_bound(open, e.id), e.id);
  AddMembers(t, entry, e);
  t.Touch(gang);
}

void ApplyEvent(Tables& t, const EntryFailed& e) {
  EntryRow* entry = OpenEntry(t, e.id, e.gang);
  if (entry == nullptr || entry->failed) return;
  entry->failed = {.pod = e.pod, .text = e.text, .refused = e.refused};
  t.Touch(entry->gang);
}

void ApplyEvent(Tables& t, const EntryStranded& e) {
  if (OpenEntry(t, e.id, e.gang) == nullptr) return;
  const auto pod = HeldBy(t, e.id, e.pod);
  // Of one that moves already the place before is spoken of.
  if (!pod || t.next_of(*pod)) return;
  EntryRow::Member& member = *MemberOf(t, e.id, e.pod);
  if (std::exchange(member.stranded, true)) return;
  t.Touch(t.entries.at(e.id).gang);
}

void ApplyEvent(Tables& t, const EntryAmended& e) {
  if (OpenEntry(t, e.id, e.gang) == nullptr) return;
  const auto pod = HeldBy(t, e.id, e.pod);
  const auto next = pod ? t.next_of(*pod) : std::nullopt;
  if (!next) return;  // A pod that took another's place had no node before.
  EntryRow::Member& member = *MemberOf(t, e.id, e.pod);
  const NodeId left = std::exchange(member.node, *next);
  const Standing before = StandingOf(t, *pod);
  // What was picked was picked for the new one.
  const std::int64_t pick = t.columns.Get({Column::kPodPick, pod->value});
  SetPlace(t, *pod, *next, t.payer_of(*pod));
  t.columns.Set({Column::kPodPick, pod->value}, pick);
  Settle(t, *pod, before);
  t.DropIfUnused(left);
}

void ApplyEvent(Tables& t, const EntryLeft& e) {
  EntryRow* entry = OpenEntry(t, e.id, e.gang);
  if (entry == nullptr) return;
  std::vector<EntryRow::Member> left;
  std::erase_if(entry->members, [&](const EntryRow::Member& member) {
    if (member.pod == e.pod) left.push_back(member);
    return member.pod == e.pod;
  });
  for (const EntryRow::Member& member : left) CloseMember(t, e.id, member);
  for (const EntryRow::Member& member : left) t.DropIfUnused(member.node);
  if (!left.empty()) t.Touch(entry->gang);
}

void ApplyEvent(Tables& t, const EntryClosed& e) {
  if (OpenEntry(t, e.id, e.gang) == nullptr) return;
  // Out of the map first: nodes and gangs that only it named may then go.
  const EntryRow entry = t.entries.extract(e.id).mapped();
  for (const EntryRow::Member& member : entry.members) CloseMember(t, e.id, member);
  for (const EntryRow::Member& member : entry.members) t.DropIfUnused(member.node);
  std::erase(t.gangs[entry.gang.value].entries, e.id);
  t.Touch(entry.gang);
  t.DropIfUnused(entry.gang);
}

void ApplyEvent(Tables& t, const Synced& e) {
  if (!std::exchange(t.synced, true)) SettleFound(t);
  for (std::uint32_t i = 0; i < t.gangs.size(); ++i) CountEarlierSuccesses(t, GangId{i});
  t.next_entry = std::max(t.next_entry, e.first_id);
  t.intact_from = std::max(t.intact_from, e.intact_from);
}

void ReleaseMember(Tables& t, PodId pod) {
  const PodRow& row = t.pods[pod.value];
  EntryRow::Member* member = MemberOf(t, row.entry, row.uid);
  if (member == nullptr) return;
  member->released = true;
  t.Touch(t.entries.at(row.entry).gang);
}

void ReserveAwaited(Tables& t, PodId pod) {
  const Uid& uid = t.pods[pod.value].uid;
  const std::uint64_t* id = t.awaited.Find(uid);
  if (id == nullptr) return;
  const EntryRow& entry = t.entries.at(*id);
  const auto member = std::ranges::find(entry.members, uid, &EntryRow::Member::pod);
  MUSTER_CHECK(member != entry.members.end());
  Reserve(t, pod, entry.id, member->node, entry.queue);
  t.awaited.Erase(uid);
}

void ReleaseAwaited(Tables& t, const Uid& uid) {
  const std::uint64_t* id = t.awaited.Find(uid);
  if (id == nullptr) return;
  EntryRow::Member* member = MemberOf(t, *id, uid);
  MUSTER_CHECK(member != nullptr);
  member->released = true;
  t.Touch(t.entries.at(*id).gang);
  t.awaited.Erase(uid);
}

}  // namespace muster::scheduler
