// Rejects nodes with a NoSchedule or NoExecute taint that the pod does not tolerate; scores nodes
// by how few of their PreferNoSchedule taints it does not tolerate.
#include <algorithm>

#include "scheduler/framework/plugin.h"
#include "scheduler/framework/taints.h"

namespace muster::scheduler {
namespace {

class TaintToleration final : public Simple<TaintToleration>,
                              public FilterPlugin,
                              public ScorePlugin {
 public:
  [[nodiscard]] Scope scope() const override { return Scope::kNodeSpec; }
  [[nodiscard]] bool Applies(const PodView& /*pod*/) const override { return true; }
  [[nodiscard]] std::unique_ptr<Prepared> Prepare(const PodView& /*pod*/) const override {
    return nullptr;
  }
  [[nodiscard]] Normalize normalize() const override { return Normalize::kByMaxReversed; }

  [[nodiscard]] Fit Filter(const PodView& pod, const NodeView& node,
                           const Prepared* /*prepared*/) const override {
    const auto& tolerations = pod.cluster.shape(pod.shape).tolerations;
    const auto& taints = node.cluster.node(node.node).taints;
    const bool refused = std::any_of(taints.begin(), taints.end(), [&](const Taint& taint) {
      return taint.effect != TaintEffect::kPreferNoSchedule && !Tolerates(tolerations, taint);
    });
    if (refused) return Refused("node(s) had untolerated taint(s)");
    return AnyNumber();
  }

  [[nodiscard]] std::int64_t Score(const PodView& pod, const NodeView& node,
                                   const Prepared* /*prepared*/) const override {
    const auto& tolerations = pod.cluster.shape(pod.shape).tolerations;
    const auto& taints = node.cluster.node(node.node).taints;
    return std::count_if(taints.begin(), taints.end(), [&](const Taint& taint) {
      return taint.effect == TaintEffect::kPreferNoSchedule && !Tolerates(tolerations, taint);
    });
  }
};

}  // namespace

extern const PluginDescriptor taint_toleration_plugin;
constinit const PluginDescriptor taint_toleration_plugin =
    DescribePlugin<TaintToleration>("TaintToleration");

}  // namespace muster::scheduler
