#include "operator/config_plugins.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "operator/json_text.h"

namespace muster::app {
namespace {

using scheduler::PluginDescriptor;
using Use = scheduler::Policy::Use;
using Uses = std::vector<Use>;

std::string ProblemOfKind(std::string_view name, std::string_view kind,
                          bool (*is_one)(const PluginDescriptor&)) {
  std::vector<std::string_view> known;
  for (const PluginDescriptor* plugin : scheduler::AllPlugins()) {
    if (is_one(*plugin)) known.push_back(plugin->name);
  }
  if (std::ranges::find(known, name) != known.end()) return {};
  const std::string shown(name.substr(0, 64));
  return "there is no " + std::string(kind) + " " + Quoted(shown) + MeantText(shown, known);
}

std::string ProblemOfFilter(std::string_view name) {
  return ProblemOfKind(name, "filter", scheduler::IsFilter);
}

std::string ProblemOfScore(std::string_view name) {
  return ProblemOfKind(name, "score", scheduler::IsScore);
}

Uses::iterator FindUse(Uses& uses, const PluginDescriptor* plugin) {
  return std::ranges::find(uses, plugin, &Use::plugin);
}

Use FilterOf(const PluginDescriptor* plugin) {
  return {.plugin = plugin, .weight = 0, .args = {}};
}

void AddScore(ConfigSection& in, Uses& scores) {
  std::string name;
  std::int32_t weight = 1;
  scheduler::ArgMap args;
  in.String("name", name, ProblemOfScore);
  in.Integer("weight", weight, {1, scheduler::Policy::kMaxWeight});
  const PluginDescriptor* plugin = scheduler::FindPlugin(name);
  in.Arguments("args", args, [&](const scheduler::ArgMap& one) {
    if (plugin == nullptr) return std::string();
    const auto made = plugin->create(one);
    return made.ok() ? std::string() : made.error().message;
  });
  if (plugin == nullptr) return in.Refuse("a score needs a name");
  if (FindUse(scores, plugin) != scores.end()) in.Refuse("score " + name + " is there twice");
  scores.push_back({.plugin = plugin, .weight = weight, .args = std::move(args), .filters = false});
}

// What acts for what.
struct PluginLists {
  Uses others, filters, scores;  // Filters without their scores.
};

PluginLists ListsOf(const Uses& uses) {
  PluginLists out;
  for (const Use& use : uses) {
    const bool is_filter = scheduler::IsFilter(*use.plugin);
    const bool is_score = scheduler::IsScore(*use.plugin);
    if (!is_filter && !is_score) out.others.push_back(use);
    if (is_filter && use.filters) out.filters.push_back(FilterOf(use.plugin));
    if (is_score && use.weight > 0) out.scores.push_back(use);
  }
  return out;
}

// One use of each plugin, whatever it acts for.
Uses UsesOf(PluginLists lists) {
  Uses out = std::move(lists.others);
  out.insert(out.end(), lists.filters.begin(), lists.filters.end());
  for (Use& score : lists.scores) {
    const auto filter = FindUse(out, score.plugin);
    score.filters = filter != out.end();
    if (score.filters) {
      *filter = std::move(score);
    } else {
      out.push_back(std::move(score));
    }
  }
  return out;
}

void ReadFilters(ConfigSection& in, Uses& filters) {
  std::vector<std::string> names;
  if (!in.Strings("filter", names, ProblemOfFilter)) return;
  filters.clear();
  for (const std::string& name : names) {
    const PluginDescriptor* plugin = scheduler::FindPlugin(name);
    if (plugin != nullptr) filters.push_back(FilterOf(plugin));
  }
}

}  // namespace

void ReadPlugins(ConfigSection& in, Uses& uses) {
  PluginLists lists = ListsOf(uses);
  ReadFilters(in, lists.filters);
  Uses scores;
  if (in.Each("score", [&](ConfigSection& score) { AddScore(score, scores); })) {
    lists.scores = std::move(scores);
  }
  uses = UsesOf(std::move(lists));
  const Result<void> usable = scheduler::Policy().SetPlugins(uses);
  if (!usable.ok()) in.Refuse(usable.error().message);
}

}  // namespace muster::app
