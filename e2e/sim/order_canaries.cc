#include <string>
#include <unordered_map>
#include <vector>

#include "e2e/sim/canaries.h"
#include "e2e/sim/stage.h"
#include "scheduler/base/check.h"
#include "scheduler/framework/policy.h"

namespace muster::e2e {
namespace {

// Scores nodes by their places in an unordered map, which depend on the order in which it has heard
// of them.
class Hasher final : public scheduler::Simple<Hasher>, public scheduler::ScorePlugin {
 public:
  [[nodiscard]] scheduler::Scope scope() const override { return scheduler::Scope::kNodeSpec; }
  [[nodiscard]] std::int64_t Score(const scheduler::PodView& pod, const scheduler::NodeView& node,
                                   const scheduler::Prepared* /*prepared*/) const override {
    for (const scheduler::NodeId id : pod.cluster.nodes())
      heard_.try_emplace(pod.cluster.node(id).name, id);
    std::int64_t place = 0;
    for (const auto& [name, id] : heard_) {
      if (id == node.node) break;
      ++place;
    }
    return scheduler::kMaxScore - place;
  }

 private:
  mutable std::unordered_map<std::string, scheduler::NodeId> heard_;
};

constexpr scheduler::PluginDescriptor kHasher = scheduler::DescribePlugin<Hasher>("Hasher");

GangPlan OfOne(const std::string& name) {
  return {.name = name, .gpus = 8, .run_seconds = 5};
}

// One node has been used when another comes, whose name is before its own.
std::vector<std::string> UnorderedMap(Stage& stage, bool planted) {
  scheduler::Policy policy = scheduler::DefaultPolicy();
  if (planted) MUSTER_CHECK(policy.Enable({.plugin = &kHasher, .args = {}}).ok());
  stage.SetPolicy(policy);
  stage.Node("node-1", 8);
  stage.Start("m");
  stage.Gang(OfOne("a"));
  stage.Run(10'000);
  stage.Node("node-0", 8);
  stage.Run(1'000);
  stage.Gang(OfOne("b"));
  return stage.End();
}

}  // namespace

std::vector<Canary> OrderCanaries(const std::string& crds_folder) {
  return {OnStage(crds_folder, {"unordered-map", "replay (7): the core decided", UnorderedMap})};
}

}  // namespace muster::e2e
