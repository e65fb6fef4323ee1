// Prefers nodes on which the pod brings cpu and memory nearer to being used in equal parts. Formula
// of upstream's balanced_allocation: how much better, or worse, the balance is with the pod than
// without; 75 = neither.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "scheduler/framework/plugin.h"

namespace muster::scheduler {
namespace {

class NodeResourcesBalancedAllocation final : public Simple<NodeResourcesBalancedAllocation>,
                                              public ScorePlugin {
 public:
  [[nodiscard]] Scope scope() const override { return Scope::kNodeUse; }
  // A pod that asks for neither balances nothing.
  [[nodiscard]] bool Applies(const PodView& pod) const override {
    const auto& requests = pod.cluster.shape(pod.shape).requests;
    return std::any_of(requests.begin(), requests.end(), [](const auto& request) {
      return request.second > 0 &&
             std::find(kBalanced.begin(), kBalanced.end(), request.first) != kBalanced.end();
    });
  }

  [[nodiscard]] std::unique_ptr<Prepared> Prepare(const PodView& pod) const override {
    auto wish = std::make_unique<Wish>();
    for (std::size_t i = 0; i < kBalanced.size(); ++i) {
      wish->ids.at(i) = pod.cluster.resources().Find(kBalanced.at(i));
      for (const auto& [resource, amount] : pod.cluster.request(pod.shape)) {
        if (wish->ids.at(i) == resource) wish->amounts.at(i) = amount;
      }
    }
    return wish;
  }

  [[nodiscard]] std::int64_t Score(const PodView& /*pod*/, const NodeView& node,
                                   const Prepared* prepared) const override {
    const auto& wish = static_cast<const Wish&>(*prepared);
    const std::int64_t with = Balance(node, wish, true);
    const std::int64_t without = Balance(node, wish, false);
    constexpr std::int64_t kHalf = kMaxScore / 2;
    return kHalf + (kHalf + with - without) / 2;
  }

 private:
  static constexpr std::array<std::string_view, 2> kBalanced{"cpu", "memory"};
  struct Wish final : Prepared {
    std::array<std::optional<ResourceId>, kBalanced.size()> ids;
    std::array<std::int64_t, kBalanced.size()> amounts{};
  };

  // 100 where both are used in equal parts, or the node has only one of them. Of two numbers the
  // standard deviation is half of their distance. A double as upstream has one: what is rounded is
  // the same.
  static std::int64_t Balance(const NodeView& node, const Wish& wish, bool with_pod) {
    const auto allocatable = node.cluster.allocatable(node.node);
    const auto used = node.cluster.used(node.node);
    std::array<double, kBalanced.size()> parts{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < kBalanced.size(); ++i) {
      const std::int64_t have = wish.ids.at(i) ? allocatable[wish.ids.at(i)->value] : 0;
      if (have <= 0) continue;
      const std::int64_t want = used[wish.ids.at(i)->value] + (with_pod ? wish.amounts.at(i) : 0);
      const double part = static_cast<double>(want) / static_cast<double>(have);
      parts.at(count++) = std::min(part, 1.0);
    }
    const double deviation = count < 2 ? 0.0 : std::abs((parts[0] - parts[1]) / 2);
    return static_cast<std::int64_t>((1 - deviation) * static_cast<double>(kMaxScore));
  }
};

}  // namespace

extern const PluginDescriptor node_resources_balanced_allocation_plugin;
constinit const PluginDescriptor node_resources_balanced_allocation_plugin =
    DescribePlugin<NodeResourcesBalancedAllocation>("NodeResourcesBalancedAllocation");

}  // namespace muster::scheduler
