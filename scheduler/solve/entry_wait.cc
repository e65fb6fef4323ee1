#include "scheduler/solve/entry_wait.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "scheduler/solve/amend.h"
#include "scheduler/solve/entry_members.h"
#include "scheduler/solve/probe.h"
#include "scheduler/solve/quota.h"
#include "scheduler/solve/wording.h"
#include "scheduler/solve/work.h"

namespace muster::scheduler {
namespace {

// Behind the numbers of the first one no more names are needed.
constexpr std::size_t kNamed = 3;

// Of all entries of a gang.
struct Waiting {
  std::vector<PodId> stranded;
  std::vector<PodId> next;  // Pods that are there for the places of lost members.
  std::int32_t lost = 0;
  bool closed = false;  // None may come.
};

Waiting WaitingOf(const Core& core, GangId gang) {
  const Cluster& cluster = core.cluster;
  Waiting waiting;
  for (const std::uint64_t id : cluster.gang(gang).entries) {
    const EntryRow& entry = cluster.entries().at(id);
    if (!MayBeAmended(cluster, entry)) continue;
    const std::vector<PodId> stranded = StrandedOf(cluster, entry);
    waiting.stranded.insert(waiting.stranded.end(), stranded.begin(), stranded.end());
    const Shortfall lack = LackOf(cluster, entry);
    waiting.lost += lack.total;
    if (!MayGetPods(core, entry)) {
      waiting.closed = true;
      continue;
    }
    const std::vector<PodId> next = FirstOf(cluster, gang, lack);
    waiting.next.insert(waiting.next.end(), next.begin(), next.end());
  }
  return waiting;
}

std::string NamesText(const Cluster& cluster, const Waiting& waiting) {
  std::string text;
  const std::size_t named = std::min(waiting.stranded.size(), kNamed);
  for (std::size_t i = 0; i < named; ++i) {
    const PodId pod = waiting.stranded[i];
    // A reserved pod has a node.
    text += "; " + cluster.pod(pod).name + " waits for another node, " +
            cluster.node(*cluster.node_of(pod)).name + " takes it no more";
  }
  if (waiting.stranded.size() > named) {
    text += "; so do " + std::to_string(waiting.stranded.size() - named) + " more";
  }
  if (waiting.lost == 0) return text;
  const bool one = waiting.lost == 1;
  text +=
      "; " + Counted(waiting.lost, "lost member") + (one ? " is" : " are") + " not replaced yet";
  if (!waiting.next.empty()) {
    text +=
        "; " + cluster.pod(waiting.next.front()).name + " waits to replace " + (one ? "it" : "one");
  } else if (!waiting.closed) {
    text += ", no other pod waits";
  }
  return text;
}

// What the queue has left for one more pod; "" = enough.
std::string QuotaRefusal(const Cluster& cluster, GangId gang, PodId pod) {
  const QueueId queue = cluster.entries().at(cluster.gang(gang).entries.front()).queue;
  const Demand one{cluster.shape_of(pod), 1};
  const QuotaVerdict quota = CheckQuota(cluster, queue, ChargesOf(cluster, {&one, 1}));
  // Not ok names what refused.
  return quota.ok() ? "" : QuotaText(cluster.queue(queue).spec.name, *quota.refused);
}

}  // namespace

EntryWait WaitOf(Core& core, GangId gang) {
  const Cluster& cluster = core.cluster;
  const Waiting waiting = WaitingOf(core, gang);
  EntryWait wait{.reason = {}, .text = NamesText(cluster, waiting), .pod = {}};
  if (waiting.stranded.empty() && waiting.next.empty()) {
    if (waiting.lost > 0 && !waiting.closed) wait.reason = "NotEnoughMembers";
    return wait;
  }
  const PodId pod = waiting.stranded.empty() ? waiting.next.front() : waiting.stranded.front();
  // What is stranded is charged already.
  const std::string quota =
      waiting.stranded.empty() ? QuotaRefusal(cluster, gang, pod) : std::string();
  if (!quota.empty()) {
    wait.reason = "WaitingForQuota";
    wait.text += ": " + quota;
    return wait;
  }
  const Probe probe = ProbeAlone(core, gang, pod);
  if (!probe.missing) return wait;  // It fits; the next Decide will say so.
  wait.reason = probe.only_topology ? "TopologyUnsatisfiable" : "Unschedulable";
  wait.text += ": " + FitErrorText(cluster.nodes().size(), probe.reasons) + NeedsText(probe);
  wait.pod = pod;
  return wait;
}

}  // namespace muster::scheduler
