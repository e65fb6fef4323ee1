#include "scheduler/solve/look.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <utility>

#include "scheduler/solve/cluster_scores.h"

namespace muster::scheduler {
namespace {

// Why a node takes no pod of the index's shape, in kube-scheduler's words; "" = it takes some.
std::string ReasonText(const Cluster& cluster, const ShapeIndex& index,
                       const ShapeIndex::Verdict& verdict) {
  if (verdict.slots > 0) return {};
  std::string text(verdict.reason);
  const auto& requests = cluster.shape(index.shape()).requests;
  for (std::uint64_t bits = verdict.lacking; bits != 0; bits &= bits - 1) {
    if (!text.empty()) text += ", ";
    text += "Insufficient " + requests[static_cast<std::size_t>(std::countr_zero(bits))].first;
  }
  return text;
}

}  // namespace

LastAttempt LookAtNodes(const Core& core, ShapeIndexes& indexes, PodId pod) {
  const Cluster& cluster = core.cluster;
  const ShapeId shape = cluster.shape_of(pod);
  const ClusterScores more(cluster, &core.plugins, {&pod, 1});
  LastAttempt look;
  look.shape_version = cluster.shapes().version(shape);
  look.images_version = cluster.images().version(cluster.pod(pod).images);
  const ShapeIndex& index = indexes.At(cluster, shape);
  for (const NodeId node : cluster.nodes()) {
    if (look.nodes.size() == LastAttempt::kMaxShown) break;
    const ShapeIndex::Verdict& verdict = index.verdict(node);
    look.nodes.push_back({cluster.node(node).name, ReasonText(cluster, index, verdict)});
    if (verdict.slots == 0) continue;
    auto parts = index.ScoreParts(cluster, node);
    std::ranges::move(more.Parts(node), std::back_inserter(parts));
    std::ranges::sort(parts);
    look.scores.push_back(
        {cluster.node(node).name, index.Total(node) + more.Total(node), std::move(parts)});
  }
  return look;
}

}  // namespace muster::scheduler
