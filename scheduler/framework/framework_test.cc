#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "scheduler/framework/plugin_set.h"
#include "scheduler/framework/policy.h"
#include "scheduler/framework/taints.h"
#include "scheduler/model/label_match.h"

namespace muster::scheduler {
namespace {

struct Args {
  std::int64_t reserve = 3;
  bool strict = false;
  std::string name;
};
constexpr std::tuple kArgs{Arg{"reserve", &Args::reserve, 0, 16}, Arg{"strict", &Args::strict},
                           Arg{"name", &Args::name}};

TEST(Args, DecodesWhatIsGivenAndKeepsTheRest) {
  const Result<Args> args = DecodeArgs<Args>(kArgs, {{"strict", true}, {"name", std::string("x")}});
  ASSERT_TRUE(args.ok());
  EXPECT_EQ(args.value().reserve, 3);
  EXPECT_TRUE(args.value().strict);
  EXPECT_EQ(args.value().name, "x");
}

TEST(Args, RefusesWithTheNearestName) {
  const auto error = [](const ArgMap& values) {
    const Result<Args> args = DecodeArgs<Args>(kArgs, values);
    return args.ok() ? std::string("ok") : args.error().message;
  };
  EXPECT_EQ(error({{"reserve", std::int64_t{17}}}), "argument 'reserve' is out of range");
  EXPECT_EQ(error({{"reserve", true}}), "argument 'reserve' has the wrong type");
  EXPECT_EQ(error({{"reserv", std::int64_t{1}}}),
            "unknown argument 'reserv'; did you mean 'reserve'?");
  EXPECT_EQ(error({{"whatever", true}}), "unknown argument 'whatever'");
}

TEST(Args, TheNearestNameIsOneTypingErrorAwayForEveryThreeLetters) {
  const std::vector<std::string_view> known = {"name", "leaseDuration", "count"};
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {"leaseDuraton", "leaseDuration"},
      {"LeaseDuration", "leaseDuration"},
      {"leaseduration", "leaseDuration"},
      {"lease_duration", "leaseDuration"},
      {"coutn", "count"},
      {"cuont", "count"},
      {"nam", "name"},
      {"names", "name"},
      {"duration", ""},
      {"", ""},
      {"x", ""}};
  for (const auto& [name, nearest] : cases) EXPECT_EQ(NearestName(name, known), nearest) << name;
}

TEST(Policy, DefaultHasTheFixedWeights) {
  const PluginSet plugins(DefaultPolicy());
  std::vector<std::pair<std::string_view, std::int64_t>> weights;
  for (const auto* scores : {&plugins.scores, &plugins.cluster_scores}) {
    for (const auto& score : *scores) weights.emplace_back(score.name, score.weight);
  }
  std::sort(weights.begin(), weights.end());
  const std::vector<std::pair<std::string_view, std::int64_t>> expected = {
      {"GpuBinPack", 1},
      {"ImageLocality", 1},
      {"ModelLocality", 3},
      {"NodeAffinity", 2},
      {"NodeResourcesBalancedAllocation", 1},
      {"NodeResourcesFit", 1},
      {"TaintToleration", 3}};
  EXPECT_EQ(weights, expected);
  EXPECT_EQ(plugins.filters.size(), 7U);
}

TEST(Policy, RefusesArgumentsAndWeights) {
  Policy policy;
  const PluginDescriptor* fit = FindPlugin("NodeResourcesFit");
  EXPECT_FALSE(policy.Enable({.plugin = fit, .weight = -1, .args = {}}).ok());
  EXPECT_FALSE(policy.Enable({.plugin = fit, .weight = 1001, .args = {}}).ok());
  EXPECT_FALSE(policy.Enable({.plugin = fit, .weight = 1, .args = {{"nonsense", true}}}).ok());
  EXPECT_TRUE(policy.uses().empty());
  EXPECT_EQ(FindPlugin("Nonsense"), nullptr);
}

TEST(Policy, OnlyWhatIsEnabledActsAndForThatAlone) {
  Policy policy = DefaultPolicy();
  const auto use = [](const char* name, std::int64_t weight, bool filters) {
    return Policy::Use{
        .plugin = FindPlugin(name), .weight = weight, .args = {}, .filters = filters};
  };
  ASSERT_TRUE(policy
                  .SetPlugins({use("PrioritySort", 0, false), use("NodeResourcesFit", 0, true),
                               use("NodeAffinity", 7, false)})
                  .ok());
  const PluginSet plugins(policy);
  ASSERT_EQ(plugins.filters.size(), 1U);
  EXPECT_EQ(plugins.filters[0].name, "NodeResourcesFit");
  ASSERT_EQ(plugins.scores.size(), 1U);
  EXPECT_EQ(plugins.scores[0].name, "NodeAffinity");
  EXPECT_EQ(plugins.scores[0].weight, 7);
  EXPECT_EQ(policy.levels(), DefaultLevels());  // As they were.

  const std::vector<Policy::Use> before(policy.uses().begin(), policy.uses().end());
  EXPECT_EQ(policy.SetPlugins({use("NodeResourcesFit", 1, false)}).error().message,
            "the filter NodeResourcesFit cannot be left out: it alone counts what a node has free");
  EXPECT_FALSE(policy.SetPlugins({use("NodeResourcesFit", 1001, true)}).ok());
  EXPECT_TRUE(std::ranges::equal(policy.uses(), before));
}

TEST(Registry, HoldsEveryPluginOnce) {
  const auto all = AllPlugins();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(FindPlugin(all[i]->name), all[i]) << all[i]->name;
  }
  EXPECT_EQ(all.size(), 12U);
}

TEST(LabelMatch, KnowsEveryOperator) {
  using Op = Requirement::Op;
  const Labels labels = {{"a", "1"}, {"b", "x"}};
  struct Case {
    Requirement requirement;
    bool holds;
  };
  const std::vector<Case> cases = {
      {{Op::kIn, "a", {"0", "1"}}, true},   {{Op::kIn, "a", {"0"}}, false},
      {{Op::kIn, "c", {"0"}}, false},       {{Op::kNotIn, "a", {"1"}}, false},
      {{Op::kNotIn, "c", {"1"}}, true},     {{Op::kExists, "b", {}}, true},
      {{Op::kExists, "c", {}}, false},      {{Op::kDoesNotExist, "b", {}}, false},
      {{Op::kDoesNotExist, "c", {}}, true}, {{Op::kGt, "a", {"0"}}, true},
      {{Op::kGt, "a", {"1"}}, false},       {{Op::kLt, "a", {"2"}}, true},
      {{Op::kLt, "b", {"2"}}, false},       {{Op::kGt, "c", {"0"}}, false},
      {{Op::kGt, "a", {"zero"}}, false},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(MatchesAll({&cases[i].requirement, 1}, labels), cases[i].holds) << i;
  }
}

TEST(Taints, AreToleratedAsKubernetesDoes) {
  const Taint taint{"k", "v", TaintEffect::kNoSchedule};
  const auto tolerates = [&](const std::string& key, const std::string& value, bool exists,
                             bool any_effect, TaintEffect effect) {
    return Tolerates(Toleration{key, value, exists, any_effect, effect}, taint);
  };
  EXPECT_TRUE(tolerates("k", "v", false, true, {}));
  EXPECT_FALSE(tolerates("k", "w", false, true, {}));
  EXPECT_TRUE(tolerates("k", "", true, true, {}));
  EXPECT_TRUE(tolerates("", "", true, true, {}));
  EXPECT_FALSE(tolerates("", "v", false, true, {}));
  EXPECT_TRUE(tolerates("k", "v", false, false, TaintEffect::kNoSchedule));
  EXPECT_FALSE(tolerates("k", "v", false, false, TaintEffect::kNoExecute));
}

}  // namespace
}  // namespace muster::scheduler
