// Rejects nodes whose GPUs are of another product than the pod asks for. The product is the node
// label that GPU feature discovery sets.
#include <algorithm>

#include "scheduler/framework/plugin.h"
#include "scheduler/model/label_match.h"

namespace muster::scheduler {
namespace {

class GpuFit final : public Simple<GpuFit>, public FilterPlugin {
 public:
  [[nodiscard]] Scope scope() const override { return Scope::kNodeSpec; }
  [[nodiscard]] bool Applies(const PodView& pod) const override {
    return !pod.cluster.shape(pod.shape).gpu_products.empty();
  }

  [[nodiscard]] Fit Filter(const PodView& pod, const NodeView& node,
                           const Prepared* /*prepared*/) const override {
    const std::string* product =
        FindLabel(node.cluster.node(node.node).labels, "nvidia.com/gpu.product");
    const auto& wanted = pod.cluster.shape(pod.shape).gpu_products;
    if (product != nullptr && std::find(wanted.begin(), wanted.end(), *product) != wanted.end()) {
      return AnyNumber();
    }
    return Refused("node(s) didn't have the requested GPU product");
  }
};

}  // namespace

extern const PluginDescriptor gpu_fit_plugin;
constinit const PluginDescriptor gpu_fit_plugin = DescribePlugin<GpuFit>("GpuFit");

}  // namespace muster::scheduler
