#include "scheduler/model/audit.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "scheduler/model/ledger.h"

namespace muster::scheduler {
namespace {

using Sums = std::vector<std::int64_t>;

// What all pods together amount to.
struct Expected {
  explicit Expected(const Tables& t)
      : used(std::size_t{t.nodes.rows()} * t.columns.width(), 0),
        usage(t.queues.size() * t.columns.width(), 0),
        counts(t.gangs.size() * kGangCounters, 0),
        pods_on(t.nodes.rows()),
        members(t.gangs.size()),
        others(t.gangs.size()),
        shapes(t.shapes.rows(), 0),
        image_sets(t.images.sets(), 0) {}

  Sums used, usage, counts;
  std::vector<std::vector<PodId>> pods_on, members, others;
  std::vector<std::uint32_t> shapes, image_sets;
};

// By names, not by the compiled request.
void AddTo(const Tables& t, Sums& sums, std::size_t row, const PodShape& shape) {
  const std::size_t first = row * t.columns.width();
  sums[first + kPodsResource.value] += 1;
  for (const auto& [name, amount] : shape.requests) {
    if (const auto id = t.resources.Find(name)) sums[first + id->value] += amount;
  }
}

std::optional<QueueId> Charged(const Tables& t, PodId id, Record record) {
  if (record != Record::kTerminating) return t.payer_of(id);
  const auto node = t.node_of(id);
  if (!node) return std::nullopt;
  const NodeRow& row = t.nodes.row(*node);
  return row.exists && row.ready ? t.payer_of(id) : std::nullopt;
}

void AddMember(const PodRow& row, PodId id, Record record, GangId gang, Expected& sum) {
  (row.member ? sum.members : sum.others)[gang.value].push_back(id);
  if (!row.member || record == Record::kGone) return;
  const std::size_t first = std::size_t{gang.value} * kGangCounters;
  ++sum.counts[first + static_cast<std::size_t>(record)];
  if (record == Record::kBound && row.running) ++sum.counts[first + kRunningCounter];
}

void AddPod(const Tables& t, PodId id, Expected& sum) {
  const PodRow& row = t.pods[id.value];
  const PodShape& shape = t.shapes.shape(row.shape);
  ++sum.shapes[row.shape.value];
  if (row.images != kNoImages) ++sum.image_sets[row.images.value];
  if (const auto node = t.node_of(id)) {
    AddTo(t, sum.used, node->value, shape);
    sum.pods_on[node->value].push_back(id);
  }
  if (const auto next = t.next_of(id)) AddTo(t, sum.used, next->value, shape);
  const Record record = t.record(id);
  if (const auto queue = Charged(t, id, record)) AddTo(t, sum.usage, queue->value, shape);
  if (row.gang) AddMember(row, id, record, *row.gang, sum);
}

// The rule of GangRow.
bool MayBeMember(const Tables& t, const PodRow& row, const GangRow& gang) {
  if (!row.bound) return true;
  if (gang.key.single_pod) return row.group_pin == 0 && row.admitted_queue.has_value();
  return gang.exists && gang.ns == row.ns && row.group_pin != 0 &&
         t.pins.uid(row.group_pin) == gang.uid;
}

std::string Differ(std::string what, std::int64_t got, std::int64_t expected) {
  return std::move(what) + ": " + std::to_string(got) + ", expected " + std::to_string(expected);
}

// Sums by resource; `name` says what a row is.
std::string CompareRows(const Tables& t, Column column, const Sums& expected, auto name) {
  const std::size_t width = t.columns.width();
  const auto cells = t.columns.Row(column, 0, expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (cells[i] == expected[i]) continue;
    const auto resource = static_cast<std::uint32_t>(i % width);
    const std::string unit =
        resource < t.resources.size() ? t.resources.name(ResourceId{resource}) : "(none)";
    return Differ(name(i / width) + " " + unit, cells[i], expected[i]);
  }
  return {};
}

std::string CompareCounts(const Tables& t, const Sums& expected) {
  const auto cells = t.columns.Row(Column::kGangCount, 0, expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (cells[i] == expected[i]) continue;
    const Key& key = t.gangs[i / kGangCounters].key;
    const std::string what =
        "gang " + key.ns + "/" + key.name + " count " + std::to_string(i % kGangCounters);
    return Differ(what, cells[i], expected[i]);
  }
  return {};
}

std::string CompareLists(const Tables& t, Expected& expected) {
  for (std::uint32_t i = 0; i < t.nodes.rows(); ++i) {
    if (!std::ranges::equal(t.columns.PodsOn(NodeId{i}), expected.pods_on[i])) {
      return "node " + t.nodes.row(NodeId{i}).name + ": list of pods";
    }
  }
  const auto less = [&t](PodId a, PodId b) { return MemberLess(t, a, b); };
  for (std::size_t i = 0; i < t.gangs.size(); ++i) {
    std::ranges::sort(expected.members[i], less);
    std::ranges::sort(expected.others[i], less);
    if (t.gangs[i].members != expected.members[i] || t.gangs[i].others != expected.others[i]) {
      return "gang " + t.gangs[i].key.ns + "/" + t.gangs[i].key.name + ": list of pods";
    }
  }
  for (std::uint32_t i = 0; i < t.shapes.rows(); ++i) {
    if (t.shapes.live(ShapeId{i}) != expected.shapes[i]) {
      return Differ("shape " + std::to_string(i), t.shapes.live(ShapeId{i}), expected.shapes[i]);
    }
  }
  for (std::uint32_t i = 0; i < t.images.sets(); ++i) {
    const std::uint32_t live = t.images.live(ImageSetId{i});
    if (live != expected.image_sets[i]) {
      return Differ("image set " + std::to_string(i), live, expected.image_sets[i]);
    }
  }
  return {};
}

// A Reserved pod stands in an open entry that names this node and pays from its queue.
std::string CheckReserved(const Tables& t, PodId id) {
  if (!t.node_of(id)) return "reserved but on no node";
  if (t.columns.journal_open()) return {};  // Its entry comes with the commit.
  const PodRow& row = t.pods[id.value];
  const auto entry = t.entries.find(row.entry);
  if (entry == t.entries.end()) return "reserved by no open entry";
  const auto& members = entry->second.members;
  const auto member = std::ranges::find(members, row.uid, &EntryRow::Member::pod);
  if (member == members.end() || member->released) return "its entry does not hold it";
  if (t.node_of(id) != member->node) return "reserved on another node than its entry says";
  if (t.payer_of(id) != entry->second.queue) return "charged to another queue than its entry's";
  return {};
}

// Also of terminating pods, which may be bound or not.
std::string CheckBound(const Tables& t, PodId id) {
  const PodRow& row = t.pods[id.value];
  if (t.record(id) == Record::kBound && !row.bound) return "bound but never shown so";
  const bool pinned = row.pin == Pin::kFixed && row.gang && row.admitted_queue;
  if (!pinned || !t.node_of(id)) return {};
  return t.payer_of(id) == row.admitted_queue ? "" : "charged against its pin";
}

std::string CheckPlace(const Tables& t, PodId id) {
  const bool placed = t.node_of(id).has_value();
  if (!placed && t.payer_of(id)) return "charged but on no node";
  const auto next = t.next_of(id);
  if (next && t.record(id) != Record::kReserved) return "moves but is not reserved";
  if (next && next == t.node_of(id)) return "moves to where it is";
  switch (t.record(id)) {
    case Record::kPending:
    case Record::kGated:
    case Record::kSucceeded:
    case Record::kFailed:
      return placed ? "on a node" : "";
    case Record::kReserved:
      return CheckReserved(t, id);
    case Record::kBound:
    case Record::kTerminating:
      return CheckBound(t, id);
    case Record::kGone:
      return t.columns.journal_open() ? "" : "gone but still here";
  }
  return "no such record";
}

std::string CheckPod(const Tables& t, PodId id) {
  const PodRow& row = t.pods[id.value];
  if (t.FindPod(row.uid) != id) return "not found by its uid";
  if (t.gone.Contains(row.uid)) return "came back";
  if (row.gang) {
    const GangRow& gang = t.gangs[row.gang->value];
    if (!gang.live) return "in a gang that was dropped";
    if (row.member != MayBeMember(t, row, gang)) return "membership";
  }
  return CheckPlace(t, id);
}

// A row that is given out again must start from nothing.
std::string CheckFreePod(const Tables& t, PodId id) {
  const bool clean = !t.node_of(id) && !t.next_of(id) && !t.payer_of(id) &&
                     t.columns.Get({Column::kPodPick, id.value}) == 0;
  return clean ? "" : "free pod row " + std::to_string(id.value) + ": cells are left";
}

std::string CheckNodes(const Tables& t) {
  const NodeRow* before = nullptr;
  std::uint64_t label = 0;
  for (const NodeId id : t.nodes.by_name()) {
    const NodeRow& row = t.nodes.row(id);
    if (!row.exists) return "node " + row.name + ": listed but does not exist";
    if (t.nodes.Find(row.name) != id) return "node " + row.name + ": not found by its name";
    if (before != nullptr && (before->name >= row.name || label >= t.nodes.order(id))) {
      return "node " + row.name + ": out of order";
    }
    before = &row;
    label = t.nodes.order(id);
  }
  return {};
}

std::string CheckEntries(const Tables& t) {
  std::size_t listed = 0;
  for (const GangRow& gang : t.gangs) listed += gang.entries.size();
  if (listed != t.entries.size()) return "entries: not all are in their gangs' lists";
  for (const auto& item : t.entries) {
    const EntryRow& entry = item.second;
    const std::string what = "entry " + std::to_string(entry.id);
    if (entry.id >= t.next_entry) return what + ": its id would be given out again";
    const std::vector<std::uint64_t>& open = t.gangs[entry.gang.value].entries;
    if (!std::ranges::binary_search(open, entry.id)) return what + ": not in its gang's list";
    for (const EntryRow::Member& member : entry.members) {
      const bool awaited = t.awaited.Find(member.pod) != nullptr;
      if (awaited && t.FindPod(member.pod).has_value())
        return what + ": awaits a pod that was seen";
    }
  }
  return {};
}

std::string CheckImages(const Tables& t) {
  return t.images.Audit();
}

// Every row is found under its key.
std::string CheckKeys(const Tables& t) {
  for (std::uint32_t i = 0; i < t.gangs.size(); ++i) {
    const GangRow& gang = t.gangs[i];
    if (gang.live && t.FindGang(gang.key) != GangId{i}) {
      return "gang " + gang.key.ns + "/" + gang.key.name + ": not found by its key";
    }
    const std::string& named = t.namespaces[gang.ns.value].default_queue;
    if (gang.live && !gang.queue_named &&
        t.FindQueue(named.empty() ? kDefaultQueue : named) != gang.queue) {
      return "gang " + gang.key.ns + "/" + gang.key.name + ": not in the queue of its namespace";
    }
  }
  for (std::uint32_t i = 0; i < t.queues.size(); ++i) {
    if (t.FindQueue(t.queues[i].spec.name) != QueueId{i}) {
      return "queue " + t.queues[i].spec.name + ": not found by its name";
    }
  }
  return {};
}

std::string CheckPods(const Tables& t) {
  for (std::uint32_t i = 0; i < t.pods.size(); ++i) {
    if (!t.pods[i].live) {
      if (std::string error = CheckFreePod(t, PodId{i}); !error.empty()) return error;
      continue;
    }
    const std::string error = CheckPod(t, PodId{i});
    if (!error.empty()) return "pod " + t.pods[i].name + " (" + t.pods[i].uid + "): " + error;
  }
  return {};
}

std::string CheckSums(const Tables& t) {
  Expected expected(t);
  for (std::uint32_t i = 0; i < t.pods.size(); ++i) {
    if (t.pods[i].live) AddPod(t, PodId{i}, expected);
  }
  const auto node = [&t](std::size_t row) {
    return "node " + t.nodes.row(NodeId{static_cast<std::uint32_t>(row)}).name + " used";
  };
  const auto queue = [&t](std::size_t row) {
    return "queue " + t.queues[row].spec.name + " usage";
  };
  std::string error = CompareRows(t, Column::kNodeUsed, expected.used, node);
  if (error.empty()) error = CompareRows(t, Column::kQueueUsage, expected.usage, queue);
  if (error.empty()) error = CompareCounts(t, expected.counts);
  if (error.empty()) error = CompareLists(t, expected);
  return error;
}

}  // namespace

std::string AuditTables(const Tables& t) {
  for (const auto check :
       {CheckSums, CheckPods, CheckNodes, CheckEntries, CheckKeys, CheckImages}) {
    if (std::string error = check(t); !error.empty()) return error;
  }
  return {};
}

}  // namespace muster::scheduler
