#include "scheduler/solve/explain.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "scheduler/solve/entry_wait.h"
#include "scheduler/solve/look.h"
#include "scheduler/solve/verdict.h"
#include "scheduler/solve/wording.h"

namespace muster::scheduler {
namespace {

bool IsPlaced(Record record) {
  return record == Record::kBound || record == Record::kReserved;
}

Phase PhaseOf(const Core& core, GangId id, const MemberCounts& counts, std::int32_t succeeded) {
  const Cluster& cluster = core.cluster;
  const std::int32_t minimum = cluster.gang(id).min_member;
  const std::int32_t live =
      counts.placeable + counts.gated + counts.reserved + counts.bound + counts.terminating;
  if (live == 0 && succeeded >= minimum) return Phase::kSucceeded;
  if (live == 0 && counts.failed > 0) return Phase::kFailed;
  if (IsWhole(cluster, id)) return Phase::kRunning;
  if (HasEntry(cluster, id, EntryState::kBind)) return Phase::kBinding;
  // What is left of a run goes on, and stays admitted. What the rest of it waits for, because
  // members were lost or more are wanted by now, say the reason and the condition Scheduled.
  if (KeepsAdmission(cluster, core.retries, id)) return Phase::kRunning;
  const bool exist = ShortfallOf(cluster, id, Reach::kExisting).total == 0;
  return exist ? Phase::kQueued : Phase::kPending;
}

// What its placed members are charged.
std::vector<Charge> PlacedCharges(const Cluster& cluster, const GangRow& gang) {
  std::vector<PodId> placed;
  for (const PodId pod : gang.members) {
    if (IsPlaced(cluster.record(pod))) placed.push_back(pod);
  }
  return ChargesOf(cluster, DemandsOf(cluster, placed));
}

// " (web 3, db 2)": how many of each sub-group are bound.
std::string BoundSubGroupsText(const Cluster& cluster, GangId id) {
  const GangRow& gang = cluster.gang(id);
  if (gang.sub_groups.empty()) return {};
  const std::vector<MemberCounts> counts = CountsBySubGroup(cluster, id);
  std::string text;
  for (std::size_t i = 0; i < gang.sub_groups.size(); ++i) {
    text +=
        (i == 0 ? " (" : ", ") + gang.sub_groups[i].name + " " + std::to_string(counts[i].bound);
  }
  return text + ")";
}

// "4 of 4 members bound to 4 nodes"
std::string BoundText(const Cluster& cluster, GangId id, std::int32_t succeeded) {
  const GangRow& gang = cluster.gang(id);
  const MemberCounts counts = cluster.counts(id);
  std::set<NodeId> nodes;
  for (const PodId pod : gang.members) {
    if (cluster.record(pod) != Record::kBound) continue;
    // A bound pod has a node.
    nodes.insert(*cluster.node_of(pod));
  }
  std::string text =
      std::to_string(counts.bound) + " of " + std::to_string(counts.total) + " members bound to " +
      Counted(static_cast<std::int64_t>(nodes.size()), "node") + BoundSubGroupsText(cluster, id);
  if (succeeded > 0) text += ", " + std::to_string(succeeded) + " succeeded";
  return text;
}

std::string EndText(const MemberCounts& counts, std::int32_t succeeded, std::int32_t minimum) {
  std::string text = Counted(succeeded, "member") + " succeeded";
  if (counts.failed > 0) text += ", " + std::to_string(counts.failed) + " failed";
  return text + " (min " + std::to_string(minimum) + ")";
}

// The text for an unbound member that the gang waits for: one that would fit alone is told so.
std::string MemberText(Core& core, GangId gang, PodId pod, const WaitVerdict& verdict,
                       std::map<ShapeId, std::int32_t>& fits_on) {
  const Cluster& cluster = core.cluster;
  if (!verdict.missing || *verdict.missing == pod) return verdict.message;
  const ShapeId shape = cluster.shape_of(pod);
  const auto [it, is_new] = fits_on.try_emplace(shape, 0);
  if (is_new) it->second = core.shown.At(cluster, shape).nodes_with_slots();
  if (it->second == 0) return verdict.message;
  const std::string all = std::to_string(cluster.nodes().size());
  return "Fits on " + std::to_string(it->second) + "/" + all + " nodes. Gang " +
         cluster.gang(gang).key.name + " waits for " + Counted(verdict.more, "more member") +
         "; first missing: " + cluster.pod(*verdict.missing).name + " (" + verdict.missing_reasons +
         ").";
}

// The text, and behind it what is wrong with the member's own label.
std::string WithStray(std::string text, const GangRow& gang, const PodRow& pod) {
  if (gang.sub_groups.empty() || SubGroupOf(gang, pod)) return text;
  if (!text.ends_with('.')) text += ".";
  const std::string why = pod.sub_group.empty() ? "it has no label muster.dev/subgroup."
                                                : "its PodGroup has no \"" + pod.sub_group + "\".";
  return text + " This member is in no sub-group: " + why;
}

void FillMembers(Core& core, GangId id, const Work& work, const WaitVerdict& verdict,
                 GangStatus& status) {
  const Cluster& cluster = core.cluster;
  const GangRow& gang = cluster.gang(id);
  const std::set<PodId> wanted(work.pods.begin(), work.pods.end());
  std::map<ShapeId, std::int32_t> fits_on;
  std::vector<PodId> pods = gang.members;
  pods.insert(pods.end(), gang.others.begin(), gang.others.end());
  for (const PodId pod : pods) {
    MemberStatus member;
    member.uid = cluster.pod(pod).uid;
    member.pod = cluster.pod_key(pod);
    member.bound = cluster.pod(pod).bound;
    if (const std::optional<NodeId> node = cluster.node_of(pod)) {
      member.node = cluster.node(*node).name;
    }
    if (cluster.record(pod) == Record::kPending && !verdict.member_reason.empty()) {
      const bool beyond = work.kind == Work::Kind::kMinimum && !wanted.contains(pod);
      member.reason = beyond ? "Surplus" : verdict.member_reason;
      member.message = beyond ? "This member is beyond the minimum of " +
                                    std::to_string(gang.min_member) +
                                    "; it is placed once the gang runs. " + verdict.message
                              : MemberText(core, id, pod, verdict, fits_on);
      member.message = WithStray(std::move(member.message), gang, cluster.pod(pod));
      member.message = CutMessage(std::move(member.message));
    }
    status.members.push_back(std::move(member));
  }
}

void FillCounts(const Core& core, GangId id, GangStatus& status) {
  const Cluster& cluster = core.cluster;
  const MemberCounts counts = cluster.counts(id);
  status.total = counts.total;
  status.bound = counts.bound;
  status.running = counts.running;
  status.succeeded = Succeeded(cluster, id);
  status.failed = counts.failed;
  status.phase = PhaseOf(core, id, counts, status.succeeded);
}

// What is stored speaks at a take-over for what is charged (pins.h): so it is what is charged.
// Bound members for which nobody pays, since their queue does not admit their namespace, are no
// admission.
void FillAdmission(const Core& core, GangId id, GangStatus& status) {
  const MemberCounts counts = core.cluster.counts(id);
  const std::optional<QueueId> payer = PayerOf(core.cluster, id);
  status.admitted_reason = "NamespaceNotAllowed";
  if (!payer && counts.bound + counts.reserved > 0) return;
  if (payer) status.queue = core.cluster.queue(*payer).spec.name;
  status.admitted = true;
  status.admitted_reason = "QuotaReserved";
  status.charges = PlacedCharges(core.cluster, core.cluster.gang(id));
  const auto info = core.gangs.find(id);
  if (info != core.gangs.end()) status.admitted_at = info->second.admitted_at;
}

// The conditions of a gang that binds, runs or has ended. `verdict` is of its surplus members.
void FillWhole(Core& core, GangId id, const Work& work, const WaitVerdict& verdict,
               GangStatus& status) {
  const Cluster& cluster = core.cluster;
  const GangRow& gang = cluster.gang(id);
  const MemberCounts counts = cluster.counts(id);
  const bool ended = status.phase == Phase::kSucceeded || status.phase == Phase::kFailed;
  status.scheduled = IsWhole(cluster, id);
  // Where nothing refuses it (its Bindings are under way, or it has ended) there is no reason.
  status.scheduled_reason = status.scheduled ? "Bound" : "";
  if (!ended) FillAdmission(core, id, status);
  status.message = ended ? EndText(counts, status.succeeded, gang.min_member)
                         : BoundText(cluster, id, status.succeeded);
  if (status.phase == Phase::kBinding) {
    const EntryWait wait = WaitOf(core, id);
    status.message += wait.text;
    status.reason = status.scheduled_reason = wait.reason;
  }
  if (work.kind == Work::Kind::kSurplus && verdict.missing) {
    status.message += "; min " + std::to_string(gang.min_member) + "; " +
                      std::to_string(work.pods.size()) + " beyond it wait: " + verdict.message;
  } else if (work.kind == Work::Kind::kSurplus && !verdict.message.empty()) {
    status.message += "; min " + std::to_string(gang.min_member) + "; " +
                      std::to_string(work.pods.size()) + " beyond it wait. " + verdict.message;
  }
}

}  // namespace

std::optional<GangStatus> StatusOf(Core& core, GangId id) {
  const Cluster& cluster = core.cluster;
  const GangRow& gang = cluster.gang(id);
  if (!gang.live) return std::nullopt;
  GangStatus status;
  status.key = gang.key;
  status.uid = gang.uid;
  status.queue = cluster.queue(gang.queue).spec.name;
  status.priority = cluster.Priority(id);
  status.min_member = gang.min_member;
  FillCounts(core, id, status);
  const auto info = core.gangs.find(id);
  if (info != core.gangs.end()) {
    status.attempted = info->second.attempted;
    status.attempts = info->second.attempts + core.backlog.RefusalsOf(id);
  }
  const Work work = Assess(cluster, core.plugins, core.retries, core.now, id);
  const WaitVerdict verdict = ExplainWait(core, id, work);
  const bool waits = status.phase == Phase::kPending || status.phase == Phase::kQueued ||
                     (status.phase == Phase::kRunning && !IsWhole(cluster, id));
  if (waits) {
    status.admitted_reason = verdict.admitted_reason;
    status.scheduled_reason = verdict.scheduled_reason;
    if (KeepsAdmission(cluster, core.retries, id)) {
      FillAdmission(core, id, status);
      // What waits is the rest of it.
      if (status.scheduled_reason == "NotAdmitted") status.scheduled_reason = verdict.reason;
    }
    status.reason = verdict.reason;
    status.message = verdict.message;
    // Refused with its class before it was looked at itself.
    const bool refused = core.backlog.ClassOf(id) != nullptr && status.attempted;
    if (refused) status.attempts = std::max(status.attempts, 1);
  } else {
    FillWhole(core, id, work, verdict, status);
  }
  status.message = CutMessage(std::move(status.message));
  FillMembers(core, id, work, verdict, status);
  return status;
}

std::optional<QueueStatus> StatusOf(const Core& core, QueueId id) {
  const QueueRow& queue = core.cluster.queue(id);
  if (!queue.exists) return std::nullopt;
  QueueStatus status;
  status.name = queue.spec.name;
  status.active = true;
  status.active_reason = "Ready";
  status.active_message = "the queue admits gangs";
  if (!queue.spec.misconfigured.empty()) {
    status.active = false;
    status.active_reason = "Misconfigured";
    status.active_message = queue.spec.misconfigured;
  } else if (queue.spec.stopped) {
    status.active = false;
    status.active_reason = "Stopped";
    status.active_message = "stopPolicy is Hold: nothing new is admitted";
  }
  if (!queue.spec.clipped.empty()) status.active_message += "; " + queue.spec.clipped;
  const auto info = core.queues.find(id);
  if (info != core.queues.end()) {
    status.pending_gangs = info->second.pending;
    status.admitted_gangs = info->second.admitted;
  }
  const auto usage = core.cluster.usage(id);
  for (std::size_t i = 0; i < queue.spec.resources.size(); ++i) {
    const QueueSeen::Quota& quota = queue.spec.resources[i];
    status.resources.push_back({quota.resource, quota.nominal, usage[queue.quotas[i].value]});
  }
  return status;
}

std::optional<Explanation> ExplainGang(Core& core, GangId id) {
  std::optional<GangStatus> status = StatusOf(core, id);
  if (!status) return std::nullopt;
  Explanation explanation;
  explanation.status = *std::move(status);
  const auto info = core.gangs.find(id);
  if (info != core.gangs.end()) {
    explanation.woken_by = info->second.last.woken_by;
    explanation.nodes = info->second.last.nodes;
    explanation.scores = info->second.last.scores;
  }
  if (explanation.status.phase == Phase::kBinding) {
    // The last attempt was that of the whole gang, before it was decided.
    if (const std::optional<PodId> waiting = WaitOf(core, id).pod) {
      LastAttempt look = LookAtNodes(core, core.shown, *waiting);
      explanation.nodes = std::move(look.nodes);
      explanation.scores = std::move(look.scores);
    }
  }
  explanation.queue_position = core.backlog.PositionOf(id);
  const Cluster& cluster = core.cluster;
  for (const PodId pod : cluster.gang(id).members) {
    if (!IsPlaced(cluster.record(pod))) continue;
    // Placed, so it has a node.
    const NodeId node = *cluster.node_of(pod);
    explanation.placed.emplace_back(cluster.pod(pod).name, cluster.node(node).name);
  }
  return explanation;
}

std::optional<Explanation> ExplainPod(Core& core, PodId pod) {
  const Cluster& cluster = core.cluster;
  const std::optional<GangId> gang = cluster.pod(pod).gang;
  if (!gang) return std::nullopt;
  std::optional<Explanation> explanation = ExplainGang(core, *gang);
  if (!explanation || cluster.gang(*gang).key.single_pod) return explanation;
  GangStatus& status = explanation->status;
  const auto member = std::ranges::find(status.members, cluster.pod(pod).uid, &MemberStatus::uid);
  if (member == status.members.end() || member->reason.empty()) return explanation;
  status.reason = member->reason;
  status.message = member->message;
  // The attempt looked with the eyes of another member.
  const auto info = core.gangs.find(*gang);
  if (info == core.gangs.end() || info->second.last.shape_version == 0) return explanation;
  const LastAttempt& last = info->second.last;
  if (last.shape_version == cluster.shapes().version(cluster.shape_of(pod)) &&
      last.images_version == cluster.images().version(cluster.pod(pod).images)) {
    return explanation;
  }
  LastAttempt look = LookAtNodes(core, core.shown, pod);
  explanation->nodes = std::move(look.nodes);
  explanation->scores = std::move(look.scores);
  return explanation;
}

}  // namespace muster::scheduler
