// Prefers the node that a pod leaves with the fewest free GPUs, so that whole nodes stay free for
// large gangs. Pods without GPUs are none of its business.
#include <algorithm>

#include "scheduler/framework/plugin.h"

namespace muster::scheduler {
namespace {

class GpuBinPack final : public ScorePlugin {
 public:
  struct Args {
    std::string resource = "nvidia.com/gpu";
  };
  static constexpr std::tuple kArgs{Arg{"resource", &Args::resource}};

  [[nodiscard]] static Result<std::unique_ptr<Plugin>> Create(const Args& args) {
    return std::unique_ptr<Plugin>(std::make_unique<GpuBinPack>(args));
  }
  explicit GpuBinPack(Args args) : args_(std::move(args)) {}

  [[nodiscard]] Scope scope() const override { return Scope::kNodeUse; }

  [[nodiscard]] std::unique_ptr<Prepared> Prepare(const PodView& pod) const override {
    auto wish = std::make_unique<Wish>();
    const std::optional<ResourceId> id = pod.cluster.resources().Find(args_.resource);
    if (!id) return wish;
    wish->id = *id;
    for (const auto& [resource, amount] : pod.cluster.request(pod.shape)) {
      if (resource == *id) wish->amount = amount;
    }
    return wish;
  }

  [[nodiscard]] std::int64_t Score(const PodView& /*pod*/, const NodeView& node,
                                   const Prepared* prepared) const override {
    const auto& wish = static_cast<const Wish&>(*prepared);
    if (wish.amount == 0) return 0;
    const std::int64_t have = node.cluster.allocatable(node.node)[wish.id.value];
    const std::int64_t left = have - node.cluster.used(node.node)[wish.id.value] - wish.amount;
    if (have <= 0 || left < 0) return 0;
    return kMaxScore - kMaxScore * left / have;
  }

 private:
  struct Wish final : Prepared {
    ResourceId id;
    std::int64_t amount = 0;
  };
  Args args_;
};

}  // namespace

extern const PluginDescriptor gpu_bin_pack_plugin;
constinit const PluginDescriptor gpu_bin_pack_plugin = DescribePlugin<GpuBinPack>("GpuBinPack");

}  // namespace muster::scheduler
