#include "scheduler/testing/plugin_bed.h"

#include <algorithm>
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

PodView PluginBed::Intern(const PodShape& shape, std::vector<std::string> images) {
  PodSeen pod = MakeSingle("probe-" + std::to_string(pods_++), "", {});
  pod.shape = shape;
  pod.images = std::move(images);
  std::ranges::sort(pod.images);
  cluster_.Apply(pod);
  const PodId id = *cluster_.FindPod(pod.uid);
  return {cluster_, cluster_.shape_of(id), cluster_.pod(id).images};
}

Fit PluginBed::Filter(const PodShape& shape, const std::string& node) {
  const auto* filter = dynamic_cast<const FilterPlugin*>(plugin_.get());
  MUSTER_CHECK(filter != nullptr);
  const PodView pod = Intern(shape);
  const auto prepared = filter->Prepare(pod);
  return filter->Filter(pod, {cluster_, *cluster_.FindNode(node)}, prepared.get());
}

std::int64_t PluginBed::ScoreOf(const PodView& pod, const std::string& node) {
  const auto* score = dynamic_cast<const ScorePlugin*>(plugin_.get());
  MUSTER_CHECK(score != nullptr);
  const auto prepared = score->Prepare(pod);
  return score->Score(pod, {cluster_, *cluster_.FindNode(node)}, prepared.get());
}

std::int64_t PluginBed::Score(const PodShape& shape, const std::string& node) {
  return ScoreOf(Intern(shape), node);
}

std::int64_t PluginBed::ScoreImages(std::vector<std::string> images, const std::string& node) {
  return ScoreOf(Intern({}, std::move(images)), node);
}

bool PluginBed::Filters(const PodShape& shape) {
  return dynamic_cast<const FilterPlugin&>(*plugin_).Applies(Intern(shape));
}

bool PluginBed::Scores(const PodShape& shape) {
  return dynamic_cast<const ScorePlugin&>(*plugin_).Applies(Intern(shape));
}

bool PluginBed::ScoresImages(std::vector<std::string> images) {
  return dynamic_cast<const ScorePlugin&>(*plugin_).Applies(Intern({}, std::move(images)));
}

}  // namespace muster::scheduler::testing
