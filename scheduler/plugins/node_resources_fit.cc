// Counts how many pods of a shape a node takes: the least over its requests and its free pod slots.
// Scores by how full cpu and memory are with one more pod: LeastAllocated spreads, MostAllocated
// packs. Formulas as in upstream's resource_allocation, but for the defaults that it assumes for
// containers without a request: a shape knows effective requests only.
#include <algorithm>
#include <array>

#include "scheduler/framework/plugin.h"

namespace muster::scheduler {
namespace {

constexpr std::string_view kTooManyPods = "Too many pods";

class NodeResourcesFit final : public FilterPlugin, public ScorePlugin {
 public:
  struct Args {
    std::string strategy = "LeastAllocated";
  };
  static constexpr std::tuple kArgs{Arg{"strategy", &Args::strategy}};

  [[nodiscard]] static Result<std::unique_ptr<Plugin>> Create(const Args& args) {
    if (args.strategy != "LeastAllocated" && args.strategy != "MostAllocated") {
      return Error{Code::kInvalidArgument,
                   "argument 'strategy' must be LeastAllocated or MostAllocated"};
    }
    const bool most = args.strategy == "MostAllocated";
    return std::unique_ptr<Plugin>(std::make_unique<NodeResourcesFit>(most));
  }
  explicit NodeResourcesFit(bool most) : most_(most) {}

  [[nodiscard]] Scope scope() const override { return Scope::kNodeUse; }
  [[nodiscard]] bool Applies(const PodView& /*pod*/) const override { return true; }

  // PreScore: the names of cpu and memory as ids, looked up once.
  [[nodiscard]] std::unique_ptr<Prepared> Prepare(const PodView& pod) const override {
    auto ids = std::make_unique<Ids>();
    constexpr std::array<std::string_view, 2> kScored{"cpu", "memory"};
    for (std::size_t i = 0; i < kScored.size(); ++i) {
      ids->scored[i].id = pod.cluster.resources().Find(kScored[i]);
      for (const auto& [resource, amount] : pod.cluster.request(pod.shape)) {
        if (ids->scored[i].id == resource) ids->scored[i].amount = amount;
      }
    }
    return ids;
  }

  [[nodiscard]] Fit Filter(const PodView& pod, const NodeView& node,
                           const Prepared* /*prepared*/) const override {
    const auto allocatable = node.cluster.allocatable(node.node);
    const auto used = node.cluster.used(node.node);
    Fit fit = AnyNumber();
    const auto cap = [&](std::int64_t free, std::int64_t amount) {
      const std::int64_t room = free < amount ? 0 : free / amount;
      fit.pods = static_cast<std::int32_t>(std::min<std::int64_t>(room, fit.pods));
      return room > 0;
    };
    const auto free = [&](ResourceId id) { return allocatable[id.value] - used[id.value]; };
    if (!cap(free(kPodsResource), 1)) fit.reason = kTooManyPods;
    std::uint64_t bit = 1;
    for (const auto& [resource, amount] : pod.cluster.request(pod.shape)) {
      if (amount > 0 && !cap(free(resource), amount)) fit.lacking |= bit;
      bit <<= 1U;
    }
    return fit;
  }

  [[nodiscard]] std::int64_t Score(const PodView& /*pod*/, const NodeView& node,
                                   const Prepared* prepared) const override {
    const auto& ids = static_cast<const Ids&>(*prepared);
    const auto allocatable = node.cluster.allocatable(node.node);
    const auto used = node.cluster.used(node.node);
    std::int64_t sum = 0;
    for (const Scored& scored : ids.scored) {
      const std::int64_t have = scored.id ? allocatable[scored.id->value] : 0;
      if (have <= 0) continue;
      const std::int64_t want = used[scored.id->value] + scored.amount;
      // Below 2^57 x 100: no overflow.
      if (most_) {
        sum += std::min(want, have) * kMaxScore / have;
      } else if (want <= have) {
        sum += (have - want) * kMaxScore / have;
      }
    }
    return sum / static_cast<std::int64_t>(ids.scored.size());
  }

 private:
  struct Scored {
    std::optional<ResourceId> id;
    std::int64_t amount = 0;
  };
  struct Ids final : Prepared {
    std::array<Scored, 2> scored;
  };
  bool most_;
};

}  // namespace

extern const PluginDescriptor node_resources_fit_plugin;
constinit const PluginDescriptor node_resources_fit_plugin =
    DescribePlugin<NodeResourcesFit>("NodeResourcesFit");

}  // namespace muster::scheduler
