// Rejects every node but the one that the pod names.
#include "scheduler/framework/plugin.h"

namespace muster::scheduler {
namespace {

class NodeName final : public Simple<NodeName>, public FilterPlugin {
 public:
  [[nodiscard]] Scope scope() const override { return Scope::kNodeSpec; }
  [[nodiscard]] bool Applies(const PodView& pod) const override {
    return !pod.cluster.shape(pod.shape).node_name.empty();
  }

  [[nodiscard]] Fit Filter(const PodView& pod, const NodeView& node,
                           const Prepared* /*prepared*/) const override {
    if (node.cluster.node(node.node).name == pod.cluster.shape(pod.shape).node_name) {
      return AnyNumber();
    }
    return Refused("node(s) didn't match the requested node name");
  }
};

}  // namespace

extern const PluginDescriptor node_name_plugin;
constinit const PluginDescriptor node_name_plugin = DescribePlugin<NodeName>("NodeName");

}  // namespace muster::scheduler
