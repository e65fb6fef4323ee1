// A cluster of a few objects and one plugin on it, for the tests of plugins.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/plugin.h"
#include "scheduler/model/cluster.h"
#include "scheduler/testing/builders.h"

namespace muster::scheduler::testing {

class PluginBed {
 public:
  // The plugin of that name in scheduler/plugins/; `args` must be right.
  explicit PluginBed(std::string_view plugin, const ArgMap& args = {});

  void Add(const Event& event) { cluster_.Apply(event); }
  // What the plugin says for a pod of that shape on the node: the framework's calls in their order.
  [[nodiscard]] Fit Filter(const PodShape& shape, const std::string& node);
  [[nodiscard]] std::int64_t Score(const PodShape& shape, const std::string& node);
  // The same of a pod with containers of these images.
  [[nodiscard]] std::int64_t ScoreImages(std::vector<std::string> images, const std::string& node);
  // False: the plugin has nothing to say about the shape.
  [[nodiscard]] bool Filters(const PodShape& shape);
  [[nodiscard]] bool Scores(const PodShape& shape);
  [[nodiscard]] bool ScoresImages(std::vector<std::string> images);

 private:
  PodView Intern(const PodShape& shape, std::vector<std::string> images = {});
  std::int64_t ScoreOf(const PodView& pod, const std::string& node);

  Cluster cluster_;
  std::unique_ptr<Plugin> plugin_;
  int pods_ = 0;
};

}  // namespace muster::scheduler::testing
