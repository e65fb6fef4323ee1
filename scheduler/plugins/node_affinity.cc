// Rejects nodes that the pod's node selector, or its required node affinity, does not match; scores
// them by the weights of the preferred terms that they match.
#include <algorithm>

#include "scheduler/framework/plugin.h"
#include "scheduler/model/label_match.h"

namespace muster::scheduler {
namespace {

class NodeAffinity final : public Simple<NodeAffinity>, public FilterPlugin, public ScorePlugin {
 public:
  [[nodiscard]] Scope scope() const override { return Scope::kNodeSpec; }
  [[nodiscard]] bool Applies(const PodView& pod) const override {
    const PodShape& shape = pod.cluster.shape(pod.shape);
    return !shape.node_selector.empty() || shape.has_required_affinity ||
           !shape.preferred_affinity.empty();
  }
  [[nodiscard]] std::unique_ptr<Prepared> Prepare(const PodView& /*pod*/) const override {
    return nullptr;
  }
  [[nodiscard]] Normalize normalize() const override { return Normalize::kByMax; }

  [[nodiscard]] Fit Filter(const PodView& pod, const NodeView& node,
                           const Prepared* /*prepared*/) const override {
    const auto& facts = node.cluster.node(node.node);
    const PodShape& shape = pod.cluster.shape(pod.shape);
    const bool selected =
        std::all_of(shape.node_selector.begin(), shape.node_selector.end(), [&](const auto& pair) {
          const std::string* value = FindLabel(facts.labels, pair.first);
          return value != nullptr && *value == pair.second;
        });
    // Terms are alternatives; an affinity without any term matches nothing.
    const bool matched =
        !shape.has_required_affinity ||
        std::any_of(shape.required_affinity.begin(), shape.required_affinity.end(),
                    [&](const NodeTerm& t) { return MatchesNode(t, facts.labels, facts.name); });
    if (selected && matched) return AnyNumber();
    return Refused("node(s) didn't match Pod's node affinity/selector");
  }

  // An empty term matches nothing, so it prefers nothing.
  [[nodiscard]] std::int64_t Score(const PodView& pod, const NodeView& node,
                                   const Prepared* /*prepared*/) const override {
    const auto& facts = node.cluster.node(node.node);
    std::int64_t sum = 0;
    for (const PreferredTerm& preferred : pod.cluster.shape(pod.shape).preferred_affinity) {
      if (MatchesNode(preferred.term, facts.labels, facts.name)) sum += preferred.weight;
    }
    return sum;
  }
};

}  // namespace

extern const PluginDescriptor node_affinity_plugin;
constinit const PluginDescriptor node_affinity_plugin =
    DescribePlugin<NodeAffinity>("NodeAffinity");

}  // namespace muster::scheduler
