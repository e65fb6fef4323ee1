#include "scheduler/testing/plugin_bed.h"

#include <utility>

#include "scheduler/framework/policy.h"

namespace muster::scheduler::testing {

PluginBed::PluginBed(std::string_view plugin, const ArgMap& args) {
  const PluginDescriptor* descriptor = FindPlugin(plugin);
  MUSTER_CHECK(descriptor != nullptr);
  Result<std::unique_ptr<Plugin>> made = descriptor->create(args);
  MUSTER_CHECK(made.ok());
  plugin_ = std::move(made).value();
}

ShapeId PluginBed::Intern(const PodShape& shape) {
  PodSeen pod = MakeSingle("probe-" + std::to_string(pods_++), "", {});
  pod.shape = shape;
  cluster_.Apply(pod);
  return cluster_.shape_of(*cluster_.FindPod(pod.uid));
}

Fit PluginBed::Filter(const PodShape& shape, const std::string& node) {
  const auto* filter = dynamic_cast<const FilterPlugin*>(plugin_.get());
  MUSTER_CHECK(filter != nullptr);
  const PodView pod{cluster_, Intern(shape)};
  const auto prepared = filter->Prepare(pod);
  return filter->Filter(pod, {cluster_, *cluster_.FindNode(node)}, prepared.get());
}

std::int64_t PluginBed::Score(const PodShape& shape, const std::string& node) {
  const auto* score = dynamic_cast<const ScorePlugin*>(plugin_.get());
  MUSTER_CHECK(score != nullptr);
  const PodView pod{cluster_, Intern(shape)};
  const auto prepared = score->Prepare(pod);
  return score->Score(pod, {cluster_, *cluster_.FindNode(node)}, prepared.get());
}

bool PluginBed::Filters(const PodShape& shape) {
  return dynamic_cast<const FilterPlugin&>(*plugin_).Applies({cluster_, Intern(shape)});
}

bool PluginBed::Scores(const PodShape& shape) {
  return dynamic_cast<const ScorePlugin&>(*plugin_).Applies({cluster_, Intern(shape)});
}

}  // namespace muster::scheduler::testing
