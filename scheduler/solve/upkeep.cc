#include "scheduler/solve/upkeep.h"

#include <algorithm>
#include <utility>

#include "scheduler/solve/admit.h"
#include "scheduler/solve/domain_range.h"
#include "scheduler/solve/entry_members.h"

namespace muster::scheduler {
namespace {

// What the API server has refused for good is tried again at least so seldom in the end.
constexpr std::int64_t kMaxRefusedBackoffMs = 300'000;

// The binder is about to close it, or no member is left: there is nothing to give up. The minimum
// is the one of the entry, or that of the gang where it was lowered since.
bool IsSettled(const Cluster& cluster, const EntryRow& entry) {
  const EntryCounts counts = CountMembers(cluster, entry);
  if (counts.unsettled > 0) return false;
  return counts.done >= entry.min_member || counts.done == 0 || IsWhole(cluster, entry.gang);
}

// Where the members have to be: the domain of those that are bound, else of most.
std::optional<DomainId> HomeFor(const Cluster& cluster, const Topology& topology, GangId gang) {
  const GangRow& row = cluster.gang(gang);
  if (row.topology.required.empty()) return std::nullopt;
  std::vector<PodId> reserved;
  for (const PodId pod : row.members) {
    if (cluster.record(pod) == Record::kReserved) reserved.push_back(pod);
  }
  const auto home = HomeOf(topology, RangeOf(cluster, topology, gang, reserved));
  return home ? home : HomeOf(topology, RangeOf(cluster, topology, gang));
}

// At take-over: the members that are not bound yet and fit no more where the entry puts them, or
// are members no more.
std::vector<PodId> Unfit(Core& core, const EntryRow& entry) {
  const Topology& topology = core.indexes.TopologyOf(core.cluster);
  const std::optional<DomainId> home = HomeFor(core.cluster, topology, entry.gang);
  std::vector<PodId> unfit;
  for (const EntryRow::Member& member : entry.members) {
    const std::optional<PodId> pod = core.cluster.FindPod(member.pod);
    if (!pod || !IsUnsettled(core.cluster.record(*pod))) continue;
    const bool fits = core.cluster.pod(*pod).gang == entry.gang &&
                      StillFits(core, *pod, member.node) &&
                      (!home || topology.Contains(*home, member.node));
    if (!fits) unfit.push_back(*pod);
  }
  return unfit;
}

// At take-over: what fits no more need not end it. Others are bound, and stay so: of a minimum
// while there is time to find the rest another node, as if nobody had died; beyond it the rest
// leaves.
bool GoesOn(const Cluster& cluster, const EntryRow& entry) {
  return CountMembers(cluster, entry).done > 0;
}

std::string Seconds(std::int64_t ms) {
  return std::to_string(ms / 1000) + " s";
}

struct Verdict {
  Decision::Why why{};
  std::string text;
  bool backs_off = true;  // False: no fault of the gang, it keeps its place in the queue.
};

// Why the entry is given up unless it is settled. Whether it is costs a look at each member, so
// that is asked last.
std::optional<Verdict> Ended(Cycle& cycle, const EntryRow& entry, bool taken_over) {
  const Cluster& cluster = cycle.core.cluster;
  const GangRow& gang = cluster.gang(entry.gang);
  if (!gang.exists || gang.uid != entry.gang_uid) {
    return Verdict{Decision::Why::kGroupGone, "the PodGroup was deleted while its gang was bound",
                   false};
  }
  if (taken_over && !GoesOn(cluster, entry) && !Unfit(cycle.core, entry).empty()) {
    return Verdict{Decision::Why::kNoFit,
                   "what was decided before the restart does not fit any more"};
  }
  if (entry.first_seen && cycle.now.mono.ms >= entry.first_seen->ms + entry.timeout_ms) {
    const EntryCounts counts = CountMembers(cluster, entry);
    const auto all = std::max<std::ptrdiff_t>(std::ssize(entry.members), entry.min_member);
    return Verdict{Decision::Why::kTimeout,
                   std::to_string(counts.done) + " of " + std::to_string(all) +
                       " members were bound within " + Seconds(entry.timeout_ms)};
  }
  return std::nullopt;
}

std::optional<Verdict> Judge(Cycle& cycle, const EntryRow& entry, bool taken_over) {
  if (entry.failed) {
    const bool refused = entry.failed->refused;
    return Verdict{refused ? Decision::Why::kRefused : Decision::Why::kNoFit, entry.failed->text,
                   refused};
  }
  std::optional<Verdict> verdict = Ended(cycle, entry, taken_over);
  if (verdict && IsSettled(cycle.core.cluster, entry)) verdict.reset();
  return verdict;
}

void GiveUp(Cycle& cycle, std::uint64_t id, Verdict verdict) {
  Core& core = cycle.core;
  const EntryRow& entry = core.cluster.entries().at(id);
  const GangRow& gang = core.cluster.gang(entry.gang);
  if (verdict.backs_off) {
    BackoffRange backoff = core.policy.times().backoff;
    if (verdict.why == Decision::Why::kRefused) {
      backoff.max_ms = std::max(backoff.max_ms, kMaxRefusedBackoffMs);
    }
    core.retries.Back(gang.key, gang.uid, cycle.now, backoff);
  }
  if (verdict.why != Decision::Why::kGroupGone) {
    core.retries.Edit(gang.key, gang.uid).failed_text = verdict.text;
  }
  cycle.dirty.try_emplace(entry.gang, "");
  core.lacking.erase(id);
  cycle.decision.abandons.push_back({gang.key, id, verdict.why, std::move(verdict.text)});
  core.cluster.AbandonEntry(id);
}

// An entry that was found and goes on: the members that fit no more wait for other nodes, or leave.
void StrandUnfit(Cycle& cycle, const EntryRow& entry) {
  Cluster& cluster = cycle.core.cluster;
  if (entry.state != EntryState::kBind || !GoesOn(cluster, entry)) return;
  for (const PodId pod : Unfit(cycle.core, entry)) {
    const PodRow& row = cluster.pod(pod);
    // Lost to another entry, or about to leave this one.
    if (cluster.record(pod) != Record::kReserved || row.entry != entry.id) continue;
    if (row.gang != entry.gang) continue;
    if (entry.min_member > 0) cluster.StrandMember(entry.id, pod);
    cycle.decision.strands.push_back({entry.id, row.uid, cluster.pod_key(pod)});
    cycle.dirty.try_emplace(entry.gang, "");
  }
}

}  // namespace

void GiveUpEntries(Cycle& cycle) {
  Cluster& cluster = cycle.core.cluster;
  std::vector<std::pair<std::uint64_t, Verdict>> ended;
  std::vector<std::uint64_t> unseen;
  for (const auto& [id, entry] : cluster.entries()) {
    if (!entry.first_seen) unseen.push_back(id);
    if (entry.state != EntryState::kBind) continue;
    // An entry of our own carries the instant of its decision; without one it was found.
    if (auto verdict = Judge(cycle, entry, !entry.first_seen)) ended.emplace_back(id, *verdict);
  }
  for (const std::uint64_t id : unseen) cluster.SetEntryFirstSeen(id, cycle.now.mono);
  for (auto& [id, verdict] : ended) GiveUp(cycle, id, std::move(verdict));
  for (const std::uint64_t id : unseen) StrandUnfit(cycle, cluster.entries().at(id));
}

bool EndsInARun(const Cluster& cluster, const EntryClosed& closed) {
  const auto found = cluster.entries().find(closed.id);
  if (found == cluster.entries().end()) return false;
  const EntryRow& entry = found->second;
  const GangRow& gang = cluster.gang(entry.gang);
  if (entry.gang_uid != closed.gang || gang.uid != closed.gang || !gang.exists) return false;
  if (entry.state != EntryState::kBind || entry.min_member == 0) return false;
  const EntryCounts counts = CountMembers(cluster, entry);
  return counts.done >= entry.min_member || IsWhole(cluster, entry.gang);
}

bool IsHalfBound(const Core& core, GangId id) {
  const GangRow& gang = core.cluster.gang(id);
  if (!gang.live || !gang.exists || !BoundOutsideEntries(core.cluster, id)) return false;
  if (HasRun(core.cluster, core.retries, id)) return false;
  const MemberCounts counts = core.cluster.counts(id);
  return counts.bound > 0 && !IsWhole(core.cluster, id);
}

bool UndoHalfBound(Cycle& cycle, GangId id) {
  Core& core = cycle.core;
  const GangRow& gang = core.cluster.gang(id);
  if (!gang.live) return false;
  const std::optional<Ticks> since = core.retries.Get(gang.key, gang.uid).half_since;
  if (!IsHalfBound(core, id)) {
    if (since) core.retries.Edit(gang.key, gang.uid).half_since.reset();
    return false;
  }
  const Ticks deadline{since.value_or(cycle.now.mono).ms + gang.timeout_ms};
  if (!since) {
    Retry& retry = core.retries.Edit(gang.key, gang.uid);
    retry.half_since = cycle.now.mono;
    retry.half_since_wall = cycle.now.wall;
  }
  if (cycle.now.mono < deadline) {
    core.retries.Schedule(gang.key, deadline);
    return false;
  }
  // Nothing is sent that no page names: the bound members get an entry, and that is given up.
  std::vector<PodId> bound;
  for (const PodId pod : gang.members) {
    if (core.cluster.record(pod) == Record::kBound) bound.push_back(pod);
  }
  Transaction transaction(core.cluster);
  const std::uint64_t entry = CommitAdmit(cycle, transaction, {.gang = id, .pods = bound});
  const std::string text = std::to_string(bound.size()) + " of " + std::to_string(gang.min_member) +
                           " members were bound for " + Seconds(gang.timeout_ms);
  GiveUp(cycle, entry, {Decision::Why::kTimeout, text});
  return true;
}

std::optional<Ticks> NextTimeout(const Cluster& cluster, Ticks now) {
  std::optional<Ticks> next;
  for (const auto& [id, entry] : cluster.entries()) {
    if (entry.state != EntryState::kBind || !entry.first_seen) continue;
    const Ticks at{entry.first_seen->ms + entry.timeout_ms};
    // One that is past and still open is settled: the binder is about to close it.
    if (at > now && (!next || at < *next)) next = at;
  }
  return next;
}

}  // namespace muster::scheduler
