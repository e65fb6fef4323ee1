#include "scheduler/solve/cluster_scores.h"

#include <algorithm>

namespace muster::scheduler {
namespace {

using Sets = std::vector<std::pair<ImageSetId, std::int64_t>>;

// What the pods differ in, and how many have it.
Sets SetsOf(const Cluster& cluster, std::span<const PodId> pods) {
  Sets sets;
  for (const PodId pod : pods) {
    const ImageSetId set = cluster.pod(pod).images;
    // Nearly always the one of the pod before.
    if (!sets.empty() && sets.back().first == set) {
      ++sets.back().second;
      continue;
    }
    const auto it = std::ranges::find(sets, set, &Sets::value_type::first);
    if (it == sets.end()) {
      sets.emplace_back(set, 1);
    } else {
      ++it->second;
    }
  }
  return sets;
}

}  // namespace

ClusterScores::ClusterScores(const Cluster& cluster, const PluginSet* plugins,
                             std::span<const PodId> pods)
    : cluster_(&cluster), pods_(std::ssize(pods)) {
  if (plugins == nullptr || plugins->cluster_scores.empty() || pods.empty()) return;
  for (const auto& [set, count] : SetsOf(cluster, pods)) {
    const PodView pod{cluster, cluster.shape_of(pods.front()), set};
    for (const PluginSet::Score& score : plugins->cluster_scores) {
      if (!score.plugin->Applies(pod)) continue;
      asked_.push_back({&score, pod, count, score.plugin->Prepare(pod)});
    }
  }
}

std::int64_t ClusterScores::Ask(const Asked& asked, NodeId node) const {
  return asked.score->plugin->Score(asked.pod, {*cluster_, node}, asked.prepared.get());
}

std::int64_t ClusterScores::Total(NodeId node) const {
  std::int64_t sum = 0;
  for (const Asked& asked : asked_) sum += asked.pods * asked.score->weight * Ask(asked, node);
  return asked_.empty() ? 0 : sum / pods_;
}

std::uint64_t ClusterScores::Key(const ShapeIndex& index, NodeId node) const {
  return index.key(node) == 0 ? 0 : index.RaisedKey(node, Total(node));
}

std::vector<std::pair<std::string, std::int64_t>> ClusterScores::Parts(NodeId node) const {
  std::vector<std::pair<std::string, std::int64_t>> parts;
  parts.reserve(asked_.size());
  for (const Asked& asked : asked_) {
    parts.emplace_back(asked.score->name, Ask(asked, node));
  }
  return parts;
}

}  // namespace muster::scheduler
