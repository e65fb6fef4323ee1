// Prefers nodes that already hold the pod's model: its weights need not be fetched again.
#include <algorithm>

#include "scheduler/framework/plugin.h"

namespace muster::scheduler {
namespace {

class ModelLocality final : public Simple<ModelLocality>, public ScorePlugin {
 public:
  [[nodiscard]] Scope scope() const override { return Scope::kNodeSpec; }
  [[nodiscard]] bool Applies(const PodView& pod) const override {
    return !pod.cluster.shape(pod.shape).model.empty();
  }

  [[nodiscard]] std::int64_t Score(const PodView& pod, const NodeView& node,
                                   const Prepared* /*prepared*/) const override {
    const auto& cached = node.cluster.node(node.node).cached_models;
    const std::string& model = pod.cluster.shape(pod.shape).model;
    return std::binary_search(cached.begin(), cached.end(), model) ? kMaxScore : 0;
  }
};

}  // namespace

extern const PluginDescriptor model_locality_plugin;
constinit const PluginDescriptor model_locality_plugin =
    DescribePlugin<ModelLocality>("ModelLocality");

}  // namespace muster::scheduler
