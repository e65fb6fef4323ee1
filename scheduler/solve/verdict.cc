#include "scheduler/solve/verdict.h"

#include <algorithm>
#include <utility>

#include "scheduler/base/time_text.h"
#include "scheduler/base/units.h"
#include "scheduler/solve/quota.h"
#include "scheduler/solve/wording.h"

namespace muster::scheduler {
namespace {

WaitVerdict NotAdmitted(std::string reason, std::string member_reason, std::string message) {
  WaitVerdict verdict;
  verdict.admitted_reason = reason;
  verdict.scheduled_reason = "NotAdmitted";
  verdict.reason = std::move(reason);
  verdict.message = std::move(message);
  verdict.member_reason = std::move(member_reason);
  return verdict;
}

WaitVerdict NotPlaced(std::string reason, std::string member_reason, std::string message) {
  WaitVerdict verdict;
  verdict.admitted_reason = "NotPlaced";
  verdict.scheduled_reason = reason;
  verdict.reason = std::move(reason);
  verdict.message = std::move(message);
  verdict.member_reason = std::move(member_reason);
  return verdict;
}

// Until its time-out it keeps what it has: whoever made the entry may have meant to complete it.
std::string IntentLostText(const Core& core, GangId id) {
  const GangRow& gang = core.cluster.gang(id);
  const Retry& retry = core.retries.Get(gang.key, gang.uid);
  std::string text = std::to_string(core.cluster.counts(id).bound) + " of " +
                     std::to_string(gang.min_member) +
                     " members are bound, by an entry of the journal that is lost with its page. "
                     "They are deleted";
  if (retry.half_since) text += " at " + TimeText(retry.half_since_wall.ms + gang.timeout_ms);
  return text + ", and the gang is queued again.";
}

std::string GivingUpText(const Core& core, GangId id) {
  if (!HasEntry(core.cluster, id, EntryState::kAbandon)) return IntentLostText(core, id);
  const GangRow& gang = core.cluster.gang(id);
  const std::string& text = core.retries.Get(gang.key, gang.uid).failed_text;
  if (!text.empty()) return text;
  return "it was given up before Muster was started again; the members that are bound are deleted";
}

WaitVerdict ExplainHeld(const Core& core, GangId id, const Work& work) {
  const Cluster& cluster = core.cluster;
  const GangRow& gang = cluster.gang(id);
  const QueueSeen& queue = cluster.queue(gang.queue).spec;
  const std::string no_queue = "QueueNotUsable";
  switch (work.held) {
    case Work::Held::kNo:
      break;
    case Work::Held::kPodGroupNotFound:
      return NotAdmitted(
          "PodGroupNotFound", "PodGroupNotFound",
          "PodGroup \"" + gang.key.name + "\" does not exist in namespace " + gang.key.ns);
    case Work::Held::kInvalid:
      return NotAdmitted("Invalid", "Invalid", gang.invalid);
    case Work::Held::kUnknownLevel:
      return NotAdmitted("Invalid", "Invalid", work.text);
    case Work::Held::kPriorityClassNotFound:
      return NotAdmitted(
          "Invalid", "Invalid",
          "spec.priorityClassName: PriorityClass \"" + gang.priority_class + "\" does not exist");
    case Work::Held::kQueueNotFound:
      return NotAdmitted("QueueNotFound", no_queue, QueueNotFoundText(cluster, gang));
    case Work::Held::kQueueInactive:
      return NotAdmitted("QueueInactive", no_queue,
                         "queue \"" + queue.name + "\" is not active: " + queue.misconfigured);
    case Work::Held::kNamespaceNotAllowed:
      return NotAdmitted("NamespaceNotAllowed", no_queue, NamespaceNotAllowedText(queue));
    case Work::Held::kQueueStopped:
      return NotAdmitted("QueueStopped", no_queue,
                         "queue \"" + queue.name + "\" admits nothing: its stopPolicy is Hold");
    case Work::Held::kNotEnoughMembers:
      return NotAdmitted("NotEnoughMembers", "NotEnoughMembers", NotEnoughMembersText(cluster, id));
    case Work::Held::kByPlugin:
      return NotAdmitted("NotEnoughMembers", "NotEnoughMembers", work.text);
    case Work::Held::kGivingUp:
      return NotPlaced("BindFailed", "BindFailed", GivingUpText(core, id));
    case Work::Held::kBackoff:
      return NotPlaced("BindFailed", "BindFailed",
                       core.retries.Get(gang.key, gang.uid).failed_text);
  }
  return {};
}

// Of each sub-group that stays below its minimum by what finds no node: "; sub-group db: 1 of 2".
std::string SubGroupsText(const Cluster& cluster, GangId id, const Work& work, const Probe& probe) {
  const GangRow& gang = cluster.gang(id);
  if (gang.sub_groups.empty()) return {};
  std::vector<MemberCounts> counts = CountsBySubGroup(cluster, id);
  for (const PodId pod : work.pods) ++counts[PlaceOf(gang, cluster.pod(pod))].bound;
  for (const std::size_t i : probe.unplaced) {
    --counts[PlaceOf(gang, cluster.pod(work.pods[i]))].bound;
  }
  std::string text;
  for (std::size_t i = 0; i < gang.sub_groups.size(); ++i) {
    const std::int32_t have = counts[i].bound + counts[i].succeeded;
    const std::int32_t minimum = gang.sub_groups[i].min_member;
    if (have >= minimum) continue;
    text += "; sub-group " + gang.sub_groups[i].name + ": " + std::to_string(have) + " of " +
            std::to_string(minimum);
  }
  return text;
}

std::string GangText(const Cluster& cluster, GangId id, const Work& work, const Probe& probe) {
  const GangRow& gang = cluster.gang(id);
  const MemberCounts counts = cluster.counts(id);
  const bool one = gang.key.single_pod || (gang.min_member == 1 && counts.total == 1);
  if (one) return NeedsText(probe);
  const std::int32_t fit = counts.bound + Succeeded(cluster, id) + probe.placed;
  std::string text = " Gang " + gang.key.name + ": " + std::to_string(fit) + " of " +
                     std::to_string(gang.min_member) + " members fit" +
                     SubGroupsText(cluster, id, work, probe);
  if (!probe.resource.empty()) {
    text += "; short " + AmountText(probe.resource, probe.short_by) + probe.where;
    const std::string holders = HoldersText(probe.resource, probe.holders);
    if (!holders.empty()) text += "; " + holders;
  }
  return text + ".";
}

WaitVerdict ExplainRefused(Core& core, GangId id, const Work& work) {
  const Cluster& cluster = core.cluster;
  const GangRow& gang = cluster.gang(id);
  const std::vector<Charge> charges = ChargesOf(cluster, work.demands);
  const QuotaVerdict quota = CheckQuota(cluster, gang.queue, charges);
  const std::string& queue = cluster.queue(gang.queue).spec.name;
  // Not ok names what refused.
  const std::string quota_text = quota.ok() ? "" : QuotaText(queue, *quota.refused);
  if (quota.never) return NotAdmitted("ExceedsMaxQuota", "WaitingForQuota", quota_text);

  const bool borrows = !quota.ok() || WouldBorrow(cluster, gang.queue, charges);
  const std::string member = borrows ? "WaitingForQuota" : "Unschedulable";
  const std::string never = NeverFitsText(cluster, work.demands);
  if (!never.empty()) return NotPlaced("NeverFits", member, never);

  const Probe probe = ProbePods(core, id, work.pods);
  if (!probe.missing) {
    if (!quota.ok()) return NotAdmitted("WaitingForQuota", "WaitingForQuota", quota_text);
    if (!probe.refused.empty()) return NotPlaced("Unschedulable", member, probe.refused);
    return {};  // It fits; the next Decide will say so.
  }
  std::string text = FitErrorText(cluster.nodes().size(), probe.reasons);
  text += GangText(cluster, id, work, probe);
  for (const PostFilterPlugin* plugin : core.plugins.post_filter) {
    const std::string more =
        plugin->PostFilter({cluster, id, QueueTime(cluster, core.retries, id)});
    if (!more.empty()) text += " " + more;
  }
  if (!quota_text.empty()) text += " " + quota_text;
  const std::string reason = probe.only_topology ? "TopologyUnsatisfiable" : "Unschedulable";
  WaitVerdict verdict = NotPlaced(reason, member, text);
  verdict.missing = work.pods[*probe.missing];
  verdict.missing_reasons = JoinReasons(probe.reasons);
  verdict.more = static_cast<std::int32_t>(work.pods.size()) - probe.placed;
  return verdict;
}

// A second is all that a backoff may last; whoever reads later what the gang waits for now shall
// still learn that it was given up before, and why.
WaitVerdict WithFailure(const Core& core, GangId id, WaitVerdict verdict) {
  const GangRow& gang = core.cluster.gang(id);
  const std::string& text = core.retries.Get(gang.key, gang.uid).failed_text;
  if (verdict.message.empty() || text.empty()) return verdict;
  if (!verdict.message.ends_with('.')) verdict.message += ".";
  verdict.message += " Given up before: " + text;
  return verdict;
}

// Members beyond the minimum of a gang that runs: nothing is wrong with the gang.
WaitVerdict ExplainSurplus(Core& core, GangId id, const Work& work) {
  const Cluster& cluster = core.cluster;
  const GangRow& gang = cluster.gang(id);
  WaitVerdict verdict;
  verdict.member_reason = "Surplus";
  const Demand one{cluster.shape_of(work.pods.front()), 1};
  const auto charges = ChargesOf(cluster, {&one, 1});
  const QuotaVerdict quota = CheckQuota(cluster, gang.queue, charges);
  if (!quota.ok()) {
    // Not ok names what refused.
    verdict.message = QuotaText(cluster.queue(gang.queue).spec.name, *quota.refused);
    return verdict;
  }
  const Probe probe = ProbePods(core, id, {work.pods.front()});
  if (probe.missing) {
    const bool buys = core.policy.autoscale_surplus() && !WouldBorrow(cluster, gang.queue, charges);
    if (buys) verdict.member_reason = "Unschedulable";
    verdict.missing = work.pods[*probe.missing];
    verdict.message = FitErrorText(cluster.nodes().size(), probe.reasons);
  }
  return verdict;
}

}  // namespace

WaitVerdict ExplainWait(Core& core, GangId gang, const Work& work) {
  switch (work.kind) {
    case Work::Kind::kNone:
      return {};
    case Work::Kind::kHeld: {
      WaitVerdict verdict = ExplainHeld(core, gang, work);
      // Its owner has not made them again yet, or never will: then this is why they are missing.
      const bool missing = work.held == Work::Held::kNotEnoughMembers;
      return missing ? WithFailure(core, gang, std::move(verdict)) : verdict;
    }
    case Work::Kind::kMinimum:
      return WithFailure(core, gang, ExplainRefused(core, gang, work));
    case Work::Kind::kSurplus:
      return ExplainSurplus(core, gang, work);
  }
  return {};
}

}  // namespace muster::scheduler
