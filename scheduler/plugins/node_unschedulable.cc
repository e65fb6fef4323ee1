// Rejects a cordoned node, unless the pod tolerates the taint that a cordon stands for.
#include <algorithm>

#include "scheduler/framework/plugin.h"
#include "scheduler/framework/taints.h"

namespace muster::scheduler {
namespace {

class NodeUnschedulable final : public Simple<NodeUnschedulable>, public FilterPlugin {
 public:
  [[nodiscard]] Scope scope() const override { return Scope::kNodeSpec; }

  [[nodiscard]] Fit Filter(const PodView& pod, const NodeView& node,
                           const Prepared* /*prepared*/) const override {
    if (!node.cluster.node(node.node).unschedulable) return AnyNumber();
    const Taint cordon{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule};
    if (Tolerates(pod.cluster.shape(pod.shape).tolerations, cordon)) return AnyNumber();
    return Refused("node(s) were unschedulable");
  }
};

}  // namespace

extern const PluginDescriptor node_unschedulable_plugin;
constinit const PluginDescriptor node_unschedulable_plugin =
    DescribePlugin<NodeUnschedulable>("NodeUnschedulable");

}  // namespace muster::scheduler
