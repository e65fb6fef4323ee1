// Rejects nodes that do not hold the pod's model, where the pod insists on it.
#include <algorithm>

#include "scheduler/framework/plugin.h"

namespace muster::scheduler {
namespace {

class ModelRequired final : public Simple<ModelRequired>, public FilterPlugin {
 public:
  [[nodiscard]] Scope scope() const override { return Scope::kNodeSpec; }
  [[nodiscard]] bool Applies(const PodView& pod) const override {
    return pod.cluster.shape(pod.shape).model_required;
  }

  [[nodiscard]] Fit Filter(const PodView& pod, const NodeView& node,
                           const Prepared* /*prepared*/) const override {
    const auto& cached = node.cluster.node(node.node).cached_models;
    const std::string& model = pod.cluster.shape(pod.shape).model;
    if (std::binary_search(cached.begin(), cached.end(), model)) return AnyNumber();
    return Refused("node(s) didn't hold the required model");
  }
};

}  // namespace

extern const PluginDescriptor model_required_plugin;
constinit const PluginDescriptor model_required_plugin =
    DescribePlugin<ModelRequired>("ModelRequired");

}  // namespace muster::scheduler
