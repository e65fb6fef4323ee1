// Prefers nodes that already hold the pod's images: they need not be pulled again. Formula of
// upstream's image_locality: the sum of their sizes, each scaled by the part of the nodes that hold
// it, so that pods do not crowd on the only one; between a size that is pulled in no time and one
// for each container that takes long. Of upstream only the size differs: here it is what the node
// itself says, there what the node said that was seen first.
#include <algorithm>
#include <cstddef>

#include "scheduler/framework/plugin.h"

namespace muster::scheduler {
namespace {

class ImageLocality final : public Simple<ImageLocality>, public ScorePlugin {
 public:
  [[nodiscard]] Scope scope() const override { return Scope::kCluster; }
  [[nodiscard]] bool Applies(const PodView& pod) const override {
    const ImageTable& table = pod.cluster.images();
    return std::ranges::any_of(table.images(pod.images),
                               [&](ImageId image) { return !table.holders(image).empty(); });
  }

  [[nodiscard]] std::unique_ptr<Prepared> Prepare(const PodView& pod) const override {
    const ImageTable& table = pod.cluster.images();
    const std::span<const ImageId> images = table.images(pod.images);
    auto held = std::make_unique<Held>();
    held->most = kMostOfContainer * static_cast<std::int64_t>(images.size());
    held->bytes.resize(pod.cluster.node_rows());
    const auto nodes = static_cast<double>(pod.cluster.nodes().size());
    for (const ImageId image : images) {
      const std::span<const ImageTable::Holder> holders = table.holders(image);
      // Doubles as upstream has them: what is cut off is the same.
      const double spread = static_cast<double>(holders.size()) / nodes;
      for (const ImageTable::Holder& holder : holders) {
        const auto bytes = static_cast<std::int64_t>(static_cast<double>(holder.size) * spread);
        std::int64_t& sum = held->bytes[holder.node.value];
        sum = std::min(sum + bytes, held->most);
      }
    }
    return held;
  }

  [[nodiscard]] std::int64_t Score(const PodView& /*pod*/, const NodeView& node,
                                   const Prepared* prepared) const override {
    const auto& held = static_cast<const Held&>(*prepared);
    const std::int64_t bytes = std::max(held.bytes[node.node.value], kLeast);
    return kMaxScore * (bytes - kLeast) / (held.most - kLeast);
  }

 private:
  static constexpr std::int64_t kMiB = std::int64_t{1} << 20U;
  static constexpr std::int64_t kLeast = 23 * kMiB;
  static constexpr std::int64_t kMostOfContainer = 1000 * kMiB;
  struct Held final : Prepared {
    std::vector<std::int64_t> bytes;  // By node row.
    std::int64_t most = 0;
  };
};

}  // namespace

extern const PluginDescriptor image_locality_plugin;
constinit const PluginDescriptor image_locality_plugin =
    DescribePlugin<ImageLocality>("ImageLocality");

}  // namespace muster::scheduler
