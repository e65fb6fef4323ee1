#include "scheduler/model/cluster.h"

#include <algorithm>
#include <variant>

#include "scheduler/base/check.h"
#include "scheduler/model/apply.h"
#include "scheduler/model/audit.h"
#include "scheduler/model/ledger.h"
#include "scheduler/model/snapshot.h"

namespace muster::scheduler {
namespace {

std::string GangCause(const Key& key) {
  return (key.single_pod ? "Pod/" : "PodGroup/") + key.ns + "/" + key.name;
}

// The object that an event is about, before it changes the tables: a pod may be gone after it.
struct Cause {
  const Tables& t;

  std::string operator()(const PodSeen& e) const { return "Pod/" + e.key.ns + "/" + e.key.name; }
  std::string operator()(const PodGone& e) const { return OfPod(e.uid); }
  std::string operator()(const BindAnswered& e) const { return OfPod(e.pod); }
  std::string operator()(const NodeSeen& e) const { return "Node/" + e.name; }
  std::string operator()(const NodeGone& e) const { return "Node/" + e.name; }
  std::string operator()(const GangSeen& e) const { return GangCause(e.key); }
  std::string operator()(const GangGone& e) const { return GangCause(e.key); }
  std::string operator()(const QueueSeen& e) const { return "Queue/" + e.name; }
  std::string operator()(const QueueGone& e) const { return "Queue/" + e.name; }
  std::string operator()(const NamespaceSeen& e) const { return "Namespace/" + e.name; }
  std::string operator()(const NamespaceGone& e) const { return "Namespace/" + e.name; }
  std::string operator()(const PriorityClassSeen& e) const { return "PriorityClass/" + e.name; }
  std::string operator()(const PriorityClassGone& e) const { return "PriorityClass/" + e.name; }
  std::string operator()(const EntrySeen& e) const { return GangCause(e.key); }
  std::string operator()(const EntryFailed& e) const { return OfEntry(e.id); }
  std::string operator()(const EntryStranded& e) const { return OfEntry(e.id); }
  std::string operator()(const EntryAmended& e) const { return OfEntry(e.id); }
  std::string operator()(const EntryLeft& e) const { return OfEntry(e.id); }
  std::string operator()(const EntryClosed& e) const { return OfEntry(e.id); }
  std::string operator()(const Synced& /*e*/) const { return "Synced"; }

 private:
  [[nodiscard]] std::string OfPod(const Uid& uid) const {
    const auto id = t.FindPod(uid);
    if (!id) return "Pod/" + uid;
    const PodRow& row = t.pods[id->value];
    return "Pod/" + t.namespaces[row.ns.value].name + "/" + row.name;
  }
  [[nodiscard]] std::string OfEntry(std::uint64_t id) const {
    const auto it = t.entries.find(id);
    if (it == t.entries.end()) return "Entry";
    return GangCause(t.gangs[it->second.gang.value].key);
  }
};

}  // namespace

void Cluster::Apply(const Event& event) {
  MUSTER_CHECK(!t_.columns.journal_open());
  t_.cause = std::visit(Cause{t_}, event);
  std::visit([this](const auto& e) { ApplyEvent(t_, e); }, event);
  t_.cause.clear();  // Writes of a Transaction are no news to who waits.
}

std::string Cluster::Audit() const {
  return AuditTables(t_);
}

std::string Cluster::Snapshot() const {
  return WriteSnapshot(t_);
}

Result<Cluster> Cluster::FromSnapshot(std::string_view text) {
  Cluster cluster;
  MUSTER_TRY(ReadSnapshot(cluster.t_, text));
  return cluster;
}

std::optional<QueueId> Cluster::charged_queue(PodId id) const {
  return StandingOf(t_, id).queue;
}

Key Cluster::pod_key(PodId id) const {
  const PodRow& row = pod(id);
  return {.ns = ns(row.ns).name, .name = row.name, .single_pod = false};
}

MemberCounts Cluster::counts(GangId id) const {
  const auto cells =
      t_.columns.Row(Column::kGangCount, std::size_t{id.value} * kGangCounters, kGangCounters);
  const auto of = [&](Record record) {
    return static_cast<std::int32_t>(cells[static_cast<std::size_t>(record)]);
  };
  MemberCounts n{.placeable = of(Record::kPending),
                 .gated = of(Record::kGated),
                 .reserved = of(Record::kReserved),
                 .bound = of(Record::kBound),
                 .running = static_cast<std::int32_t>(cells[kRunningCounter]),
                 .terminating = of(Record::kTerminating),
                 .succeeded = of(Record::kSucceeded),
                 .failed = of(Record::kFailed)};
  n.total = n.placeable + n.gated + n.reserved + n.bound + n.succeeded + n.failed;
  return n;
}

std::int32_t Cluster::Priority(GangId id) const {
  const GangRow& row = gang(id);
  if (!row.priority_class.empty()) {
    if (const auto value = PriorityClass(row.priority_class)) return std::min(*value, kMaxPriority);
    const auto gone = t_.gone_classes.find(row.priority_class);
    if (gone != t_.gone_classes.end()) return std::min(gone->second, kMaxPriority);
  }
  if (row.members.empty()) return 0;
  const auto priority = [this](PodId member) { return pod(member).priority; };
  const PodId highest = *std::ranges::max_element(row.members, {}, priority);
  return std::min(pod(highest).priority, kMaxPriority);
}

std::optional<std::int32_t> Cluster::PriorityClass(const std::string& name) const {
  const auto it = t_.priority_classes.find(name);
  if (it == t_.priority_classes.end()) return std::nullopt;
  return it->second;
}

void Cluster::AbandonEntry(std::uint64_t id) {
  const auto it = t_.entries.find(id);
  MUSTER_CHECK(it != t_.entries.end());
  it->second.state = EntryState::kAbandon;
}

void Cluster::StrandMember(std::uint64_t id, PodId pod) {
  const auto it = t_.entries.find(id);
  MUSTER_CHECK(it != t_.entries.end());
  auto& members = it->second.members;
  const auto member = std::ranges::find(members, t_.pods[pod.value].uid, &EntryRow::Member::pod);
  MUSTER_CHECK(member != members.end());
  member->stranded = true;
}

void Cluster::SetEntryFirstSeen(std::uint64_t id, Ticks now) {
  const auto it = t_.entries.find(id);
  MUSTER_CHECK(it != t_.entries.end());
  MUSTER_CHECK(!it->second.first_seen);  // A time-out never starts anew.
  it->second.first_seen = now;
}

void Cluster::ClearTouched() {
  MUSTER_CHECK(!t_.columns.journal_open());
  t_.ClearTouched();
}

}  // namespace muster::scheduler
