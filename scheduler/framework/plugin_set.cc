#include "scheduler/framework/plugin_set.h"

#include <utility>

namespace muster::scheduler {
namespace {

template <class P>
void AddIf(const Plugin& plugin, std::vector<const P*>& list) {
  if (const auto* as = dynamic_cast<const P*>(&plugin)) list.push_back(as);
}

}  // namespace

PluginSet::PluginSet(const Policy& policy) : levels(policy.levels()) {
  for (const Policy::Use& use : policy.uses()) {
    Result<std::unique_ptr<Plugin>> made = use.plugin->create(use.args);
    MUSTER_CHECK(made.ok());  // Policy::Enable refused what does not decode.
    const Plugin& plugin = *made.value();
    AddIf(plugin, pre_enqueue);
    if (const auto* sort = dynamic_cast<const QueueSortPlugin*>(&plugin)) queue_sort = sort;
    const auto* filter = dynamic_cast<const FilterPlugin*>(&plugin);
    if (filter != nullptr && use.filters) {
      MUSTER_CHECK(filter->scope() != Scope::kCluster);
      filters.push_back({use.plugin->name, filter});
    }
    AddIf(plugin, post_filter);
    const auto* score = dynamic_cast<const ScorePlugin*>(&plugin);
    if (score != nullptr && use.weight > 0) {
      MUSTER_CHECK(score->normalize() == ScorePlugin::Normalize::kNone ||
                   score->scope() == Scope::kNodeSpec);
      const bool kept = score->scope() != Scope::kCluster;
      (kept ? scores : cluster_scores).push_back({use.plugin->name, use.weight, score});
    }
    AddIf(plugin, reserve);
    AddIf(plugin, permit);
    AddIf(plugin, pre_bind);
    AddIf(plugin, post_bind);
    plugins_.push_back(std::move(made).value());
  }
  MUSTER_CHECK(queue_sort != nullptr);
}

}  // namespace muster::scheduler
