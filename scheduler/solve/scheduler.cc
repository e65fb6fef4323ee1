#include "scheduler/solve/scheduler.h"

#include <utility>
#include <variant>

#include "scheduler/solve/core.h"
#include "scheduler/solve/cycle.h"
#include "scheduler/solve/explain.h"
#include "scheduler/solve/pending.h"
#include "scheduler/solve/quorum.h"
#include "scheduler/solve/upkeep.h"

namespace muster::scheduler {
namespace {

// The pod that an event may show bound; "" = none.
const Uid* MaybeBound(const Event& event) {
  if (const auto* seen = std::get_if<PodSeen>(&event)) return &seen->uid;
  if (const auto* answered = std::get_if<BindAnswered>(&event)) return &answered->pod;
  return nullptr;
}

std::optional<Assignment> ReservedBefore(const Cluster& cluster, const Event& event) {
  const Uid* uid = MaybeBound(event);
  if (uid == nullptr) return std::nullopt;
  const std::optional<PodId> pod = cluster.FindPod(*uid);
  if (!pod || cluster.record(*pod) != Record::kReserved) return std::nullopt;
  // A reserved pod has a node.
  return Assignment{*pod, *cluster.node_of(*pod)};
}

void RunPostBind(const Core& core, const Assignment& assignment) {
  const Cluster& cluster = core.cluster;
  if (cluster.record(assignment.pod) != Record::kBound) return;
  const std::optional<GangId> gang = cluster.pod(assignment.pod).gang;
  if (!gang || cluster.node_of(assignment.pod) != assignment.node) return;
  const GangView view{cluster, *gang, QueueTime(cluster, core.retries, *gang)};
  for (const PostBindPlugin* plugin : core.plugins.post_bind) plugin->PostBind(view, assignment);
}

// Holders are named by their PodGroup, or by the lack of it, which is in no cell.
bool RenamesHolders(const Cluster& cluster, const Event& event) {
  if (std::holds_alternative<GangGone>(event)) return true;
  const auto* seen = std::get_if<GangSeen>(&event);
  if (seen == nullptr) return false;
  const std::optional<GangId> gang = cluster.FindGang(seen->key);
  return !gang || !cluster.gang(*gang).exists;
}

}  // namespace

struct Scheduler::State : Core {
  using Core::Core;
};

Scheduler::Scheduler(const Policy& policy) : state_(std::make_unique<State>(policy)) {}
Scheduler::~Scheduler() = default;
Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;

void Scheduler::Apply(const Event& event) {
  const std::optional<Assignment> reserved = ReservedBefore(state_->cluster, event);
  if (RenamesHolders(state_->cluster, event)) state_->probe_cache = {};
  const auto* closed = std::get_if<EntryClosed>(&event);
  if (closed != nullptr && EndsInARun(state_->cluster, *closed)) {
    const EntryRow& entry = state_->cluster.entries().at(closed->id);
    state_->retries.NoteRun(state_->cluster.gang(entry.gang).key, closed->gang);
  }
  state_->cluster.Apply(event);
  if (reserved && !state_->plugins.post_bind.empty()) RunPostBind(*state_, *reserved);
}

Decision Scheduler::Decide(Now now, Budget budget) {
  return RunCycle(*state_, now, budget);
}

std::optional<GangStatus> Scheduler::Status(const Key& gang) const {
  const std::optional<GangId> id = state_->cluster.FindGang(gang);
  if (!id) return std::nullopt;
  return StatusOf(*state_, *id);
}

bool Scheduler::IsWhole(const Key& gang) const {
  const std::optional<GangId> id = state_->cluster.FindGang(gang);
  return id && state_->cluster.gang(*id).live && scheduler::IsWhole(state_->cluster, *id);
}

std::optional<QueueStatus> Scheduler::Status(const std::string& queue) const {
  const std::optional<QueueId> id = state_->cluster.FindQueue(queue);
  if (!id) return std::nullopt;
  return StatusOf(std::as_const(*state_), *id);
}

PendingPods Scheduler::Pending() const {
  return CountPending(*state_);
}

std::optional<Explanation> Scheduler::Explain(const Key& gang) const {
  const std::optional<GangId> id = state_->cluster.FindGang(gang);
  if (!id) return std::nullopt;
  return ExplainGang(*state_, *id);
}

std::optional<Explanation> Scheduler::ExplainPod(const Uid& pod) const {
  const std::optional<PodId> id = state_->cluster.FindPod(pod);
  if (!id) return std::nullopt;
  return muster::scheduler::ExplainPod(*state_, *id);
}

const Cluster& Scheduler::cluster() const {
  return state_->cluster;
}

std::string Scheduler::Snapshot() const {
  const std::string retries = state_->retries.ToText();
  return std::to_string(retries.size()) + "\n" + retries + state_->cluster.Snapshot();
}

Result<Scheduler> Scheduler::FromSnapshot(const Policy& policy, std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return Error{Code::kInvalidArgument, "not a snapshot"};
  std::size_t size = 0;
  for (const char c : text.substr(0, end)) {
    if (c < '0' || c > '9') return Error{Code::kInvalidArgument, "not a snapshot"};
    size = size * 10 + static_cast<std::size_t>(c - '0');
  }
  text.remove_prefix(end + 1);
  if (size > text.size()) return Error{Code::kInvalidArgument, "not a snapshot"};
  Scheduler scheduler(policy);
  MUSTER_ASSIGN(scheduler.state_->retries, RetryTable::FromText(text.substr(0, size)));
  MUSTER_ASSIGN(scheduler.state_->cluster, Cluster::FromSnapshot(text.substr(size)));
  return scheduler;
}

}  // namespace muster::scheduler
