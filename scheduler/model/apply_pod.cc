// Pods: what the API server shows of them, and the answers to our Bindings.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "scheduler/base/check.h"
#include "scheduler/model/apply.h"
#include "scheduler/model/ledger.h"
#include "scheduler/model/pins.h"

namespace muster::scheduler {
namespace {

bool IsTerminal(Record record) {
  return record == Record::kSucceeded || record == Record::kFailed;
}

bool ShowsNode(const PodSeen& e) {
  return !e.node.empty();
}

// The record after the fact; never behind the one before. See rows.h for the picture.
Record NextRecord(Record now, const PodSeen& e, bool first_sight) {
  if (IsTerminal(now)) return now;
  if (e.state == PodState::kSucceeded) return Record::kSucceeded;
  if (e.state == PodState::kFailed) return Record::kFailed;
  if (e.terminating || now == Record::kTerminating) return Record::kTerminating;
  if (ShowsNode(e)) return Record::kBound;
  if (now == Record::kReserved || now == Record::kBound) return now;
  // Gates are only ever taken away.
  const bool gated = e.state == PodState::kGated && (first_sight || now == Record::kGated);
  return gated ? Record::kGated : Record::kPending;
}

std::optional<QueueId> InternUnlessEmpty(Tables& t, const std::string& queue) {
  if (queue.empty()) return std::nullopt;
  return t.InternQueue(queue);
}

// Facts of the object that no state depends on. True if one of them is new.
bool SetFacts(Tables& t, PodId id, const PodSeen& e) {
  PodRow& row = t.pods[id.value];
  const std::optional<QueueId> queue = InternUnlessEmpty(t, e.queue);
  // Labels of a pod that was seen bound have no effect any more.
  const bool moved = row.pin == Pin::kNone && (row.sub_group != e.sub_group || row.queue != queue);
  const bool same = row.priority == e.priority && !moved &&
                    row.owner_first_seen == e.owner_first_seen &&
                    t.shapes.shape(row.shape) == e.shape;
  if (same) return false;
  if (moved) {
    row.sub_group = e.sub_group;
    row.queue = queue;
  }
  row.priority = e.priority;
  row.owner_first_seen = e.owner_first_seen;
  const ShapeId old = row.shape;
  row.shape = t.shapes.Acquire(e.shape, t.resources);
  t.shapes.Release(old);
  return true;
}

// They change nothing about whether it fits: its gang is not touched.
void SetImages(Tables& t, PodId id, const PodSeen& e) {
  t.images.Release(std::exchange(t.pods[id.value].images, t.images.Acquire(e.images)));
}

// Where the pod is, and who pays, after its record has become `next`.
void PlaceAsSeen(Tables& t, PodId id, const PodSeen& e, Record next) {
  SetRecord(t, id, next);
  const std::optional<NodeId> before = t.node_of(id);
  const std::optional<QueueId> payer = ShowsNode(e) ? SettlePayer(t, id) : std::nullopt;
  if (IsTerminal(next)) {
    SetPlace(t, id, std::nullopt, std::nullopt);
  } else if (ShowsNode(e)) {
    SetPlace(t, id, t.InternNode(e.node), payer);
  }
  if (before && t.node_of(id) != before) {
    if (ShowsNode(e)) ReleaseMember(t, id);
    t.DropIfUnused(*before);
  }
}

PodId MakeRow(Tables& t, const PodSeen& e) {
  const PodId id = t.NewPod(e.uid);
  PodRow& row = t.pods[id.value];
  row.name = e.key.name;
  row.ns = t.InternNamespace(e.key.ns);
  row.created = e.created;
  row.rank = e.rank;
  row.shape = t.shapes.Acquire(e.shape, t.resources);
  return id;
}

std::optional<GangId> NamedGang(Tables& t, const PodSeen& e) {
  if (!e.ours || e.gang.name.empty()) return std::nullopt;
  return t.InternGang(e.gang);
}

// What the pod and its successor have in common: the rank (an index of a Job has pods of many
// names), else the name. '#' is in no name.
std::string NameOfSuccess(const PodRow& row) {
  return row.rank < 0 ? row.name : row.sub_group + "#" + std::to_string(row.rank);
}

// The gang in which the end of the pod counts.
GangRow* CountsIn(Tables& t, PodId id) {
  const PodRow& row = t.pods[id.value];
  if (!row.gang || !row.member) return nullptr;
  GangRow& gang = t.gangs[row.gang->value];
  return gang.exists && !gang.key.single_pod ? &gang : nullptr;
}

// Its owner makes no other: it stays counted.
void KeepSuccess(Tables& t, PodId id) {
  GangRow* gang = t.record(id) == Record::kSucceeded ? CountsIn(t, id) : nullptr;
  if (gang == nullptr) return;
  std::string name = NameOfSuccess(t.pods[id.value]);
  const auto at = std::ranges::upper_bound(gang->gone_successes, name);
  gang->gone_successes.insert(at, std::move(name));
}

// There is another after all: the work is done once more.
void TakeSuccessBack(Tables& t, PodId id) {
  GangRow* gang = CountsIn(t, id);
  if (gang == nullptr || gang->gone_successes.empty()) return;
  const std::string name = NameOfSuccess(t.pods[id.value]);
  const auto at = std::ranges::lower_bound(gang->gone_successes, name);
  if (at != gang->gone_successes.end() && *at == name) gang->gone_successes.erase(at);
}

// Out of every table but the gone list.
void Forget(Tables& t, PodId id) {
  t.gone.Add(t.pods[id.value].uid);
  KeepSuccess(t, id);
  ReleaseMember(t, id);
  const std::optional<NodeId> node = t.node_of(id);
  const Standing before = StandingOf(t, id);
  SetRecord(t, id, Record::kGone);
  SetPlace(t, id, std::nullopt, std::nullopt);
  Settle(t, id, before);
  LeaveGang(t, id);
  SetGroupPin(t, id, "");
  t.shapes.Release(t.pods[id.value].shape);
  t.images.Release(t.pods[id.value].images);
  t.FreePod(id);
  if (node) t.DropIfUnused(*node);
}

// The Binding carried the pins of its entry, so they are known before the watch shows them.
void BindAsDecided(Tables& t, PodId id, const std::string& node) {
  PodRow& row = t.pods[id.value];
  const std::optional<NodeId> reserved = t.node_of(id);
  const Standing before = StandingOf(t, id);
  row.bound = true;
  const auto entry = t.entries.find(row.entry);
  if (entry != t.entries.end()) PinByEntry(t, id, entry->second);
  JoinGang(t, id, row.gang);
  // A pod that is being deleted may have been bound just before.
  if (t.record(id) != Record::kTerminating) SetRecord(t, id, Record::kBound);
  const std::optional<QueueId> payer = SettlePayer(t, id);
  SetPlace(t, id, t.InternNode(node), payer);
  Settle(t, id, before);
  if (reserved && reserved != t.node_of(id)) t.DropIfUnused(*reserved);
}

// The node is free again: the touch was answered, so no Binding of that attempt can act.
void TakeBack(Tables& t, PodId id) {
  const std::optional<NodeId> node = t.node_of(id);
  ReleaseMember(t, id);
  const Standing before = StandingOf(t, id);
  if (t.record(id) == Record::kReserved) SetRecord(t, id, Record::kPending);
  SetPlace(t, id, std::nullopt, std::nullopt);
  Settle(t, id, before);
  if (node) t.DropIfUnused(*node);
}

// Bound by somebody else: not ours to place. Who pays is settled when its pins are seen.
void LoseToOther(Tables& t, PodId id, const std::string& at) {
  MUSTER_CHECK(!at.empty());
  const std::optional<NodeId> reserved = t.node_of(id);
  const std::optional<QueueId> payer = t.payer_of(id);
  ReleaseMember(t, id);
  const Standing before = StandingOf(t, id);
  t.pods[id.value].bound = true;
  if (t.record(id) != Record::kTerminating) SetRecord(t, id, Record::kBound);
  JoinGang(t, id, t.pods[id.value].gang);
  SetPlace(t, id, t.InternNode(at), payer);
  Settle(t, id, before);
  if (reserved && reserved != t.node_of(id)) t.DropIfUnused(*reserved);
}

}  // namespace

void ApplyEvent(Tables& t, const PodSeen& e) {
  if (t.gone.Contains(e.uid)) return;  // A list that was under way when it went.
  const auto found = t.FindPod(e.uid);
  if (!found && !e.ours && !ShowsNode(e)) return;  // Others' pods count once they have a node.
  const PodId id = found ? *found : MakeRow(t, e);
  PodRow& row = t.pods[id.value];
  const Standing before = found ? StandingOf(t, id) : Standing{.shape = row.shape};
  // Labels of a bound pod have no effect any more.
  if (row.rank != e.rank && !row.bound) {
    LeaveGang(t, id);
    row.rank = e.rank;
  }
  const bool changed = SetFacts(t, id, e);
  SetImages(t, id, e);
  const std::optional<GangId> named = NamedGang(t, e);
  if (ShowsNode(e)) {
    // As for who finds it bound, the label counts that it has then.
    if (row.pin == Pin::kNone && row.gang != named) LeaveGang(t, id);
    row.bound = true;
    PinAsSeen(t, id, e);
  }
  row.running = e.running;
  JoinGang(t, id, named);
  if (!found) TakeSuccessBack(t, id);
  PlaceAsSeen(t, id, e, NextRecord(t.record(id), e, !found));
  Settle(t, id, before);
  if (!found) ReserveAwaited(t, id);
  if (changed && row.gang) t.Touch(*row.gang);
}

void ApplyEvent(Tables& t, const PodGone& e) {
  if (const auto id = t.FindPod(e.uid)) {
    Forget(t, *id);
    return;
  }
  t.gone.Add(e.uid);
  ReleaseAwaited(t, e.uid);
}

void ApplyEvent(Tables& t, const BindAnswered& e) {
  if (e.answer == Answer::kGone) {
    ApplyEvent(t, PodGone{e.pod});
    return;
  }
  const auto id = t.FindPod(e.pod);
  if (!id) {
    if (e.answer != Answer::kDone) ReleaseAwaited(t, e.pod);
    return;
  }
  // The record is ahead of the answer: the API server itself has shown more.
  if (t.pods[id->value].bound || IsTerminal(t.record(*id))) return;
  if (e.answer == Answer::kDone) {
    BindAsDecided(t, *id, e.node);
    return;
  }
  // Of an earlier attempt: the pod is promised elsewhere by now, or to nobody.
  const auto node = t.node_of(*id);
  if (!node || t.nodes.row(*node).name != e.node) return;
  if (e.answer == Answer::kRefused) {
    TakeBack(t, *id);
  } else {
    LoseToOther(t, *id, e.at);
  }
}

}  // namespace muster::scheduler
