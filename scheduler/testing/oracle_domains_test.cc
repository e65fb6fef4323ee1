// Gangs with a topology go where brute force sends them: on all clusters of three nodes over slots,
// zones and racks, and on some of five.
#include "scheduler/testing/oracle_domains.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/framework/policy.h"
#include "scheduler/solve/placement.h"
#include "scheduler/testing/builders.h"
#include "scheduler/testing/oracle_placement.h"

namespace muster::scheduler {
namespace {

using testing::DomainCase;
using testing::DomainNode;
using testing::DomainProblem;

constexpr const char* kCores = "cpu";

PluginSet TwoLevels() {
  Policy policy = DefaultPolicy();
  MUSTER_CHECK(policy.SetLevels({{"zone", "zone"}, {"rack", "rack"}}).ok());
  return PluginSet(policy);
}

// A cluster and as many pods of one core as a case may ask for; the index outlives the cases.
class Bed {
 public:
  Bed(const PluginSet& plugins, const std::vector<DomainNode>& nodes) : indexes_(plugins) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::string cores = std::to_string(nodes[i].slots);
      NodeSeen node = testing::MakeNode("n" + std::to_string(i), {{kCores, cores}});
      if (nodes[i].rack != 0) node.labels.emplace_back("rack", std::to_string(nodes[i].rack));
      if (nodes[i].zone != 0) node.labels.emplace_back("zone", std::to_string(nodes[i].zone));
      cluster_.Apply(node);
    }
    cluster_.Apply(testing::MakeQueue("q"));
  }
  void AddPod(int cores) {
    const std::string name = "p" + std::to_string(pods_.size());
    cluster_.Apply(testing::MakeSingle(name, "q", {{kCores, std::to_string(cores)}}));
    pods_.push_back(*cluster_.FindPod("uid-" + name));
  }

  using Place =
      std::function<Placement(const PlaceContext&, std::span<const PodId>, const DomainRange&)>;
  // Pods on each node; empty: it did not place them.
  std::vector<int> Run(const Place& place, int pods, const DomainRange& range) {
    std::int32_t steps = 200'000;
    Transaction transaction(cluster_);
    const Placement placement =
        place({cluster_, indexes_, transaction, steps},
              std::span(pods_).first(static_cast<std::size_t>(pods)), range);
    if (!placement.ok) return {};
    std::vector<int> counts(cluster_.nodes().size(), 0);
    for (const Assignment& a : placement.assignments) {
      const std::string& name = cluster_.node(a.node).name;
      ++counts[static_cast<std::size_t>(std::stoi(name.substr(1)))];
    }
    return counts;
  }

 private:
  Cluster cluster_;
  ShapeIndexes indexes_;
  std::vector<PodId> pods_;
};

Placement InDomains(const PlaceContext& context, std::span<const PodId> pods,
                    const DomainRange& range) {
  return PlaceAll(context, pods, range);
}

// What is wrong with the first case that goes wrong, and how many do.
struct Verdict {
  int wrong = 0;
  std::string first;
};

void Try(const Bed::Place& place, const std::vector<DomainNode>& nodes, int most,
         Verdict& verdict) {
  static const PluginSet plugins = TwoLevels();
  Bed bed(plugins, nodes);
  for (int i = 0; i < most; ++i) bed.AddPod(1);
  for (int pods = 1; pods <= most; ++pods) {
    for (const auto& [outer, inner] :
         std::array<std::pair<int, int>, 6>{{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}}) {
      DomainRange range;
      range.outer = static_cast<LevelId>(outer);
      range.inner = static_cast<LevelId>(inner);
      const DomainCase c{.nodes = nodes, .pods = pods, .outer = outer, .inner = inner};
      const std::string problem = DomainProblem(c, bed.Run(place, pods, range));
      if (problem.empty() || ++verdict.wrong > 1) continue;
      verdict.first = std::to_string(pods) + " pods, levels " + std::to_string(outer) + " to " +
                      std::to_string(inner) + ":";
      for (const DomainNode& node : nodes) {
        verdict.first += " " + std::to_string(node.slots) + "@" + std::to_string(node.zone) + "/" +
                         std::to_string(node.rack);
      }
      verdict.first += ": " + problem;
    }
  }
}

// All multisets of three: the order of the nodes means nothing but by their names.
Verdict TryAllOfThree(const Bed::Place& place) {
  std::vector<DomainNode> kinds;
  for (int slots = 1; slots <= 2; ++slots) {
    for (int zone = 0; zone <= 2; ++zone) {
      for (int rack = 0; rack <= 2; ++rack) kinds.push_back({slots, zone, rack});
    }
  }
  Verdict verdict;
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    for (std::size_t b = a; b < kinds.size(); ++b) {
      for (std::size_t c = b; c < kinds.size(); ++c) {
        Try(place, {kinds[a], kinds[b], kinds[c]}, 4, verdict);
      }
    }
  }
  return verdict;
}

Verdict TrySomeOfFive(const Bed::Place& place) {
  std::uint64_t state = 1;
  const auto draw = [&](int below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int>((state >> 33U) % static_cast<std::uint64_t>(below));
  };
  Verdict verdict;
  for (int i = 0; i < 100; ++i) {
    std::vector<DomainNode> nodes(5);
    for (DomainNode& node : nodes) node = {draw(4), draw(3), draw(4)};
    Try(place, nodes, 5, verdict);
  }
  return verdict;
}

TEST(OracleDomains, AgreesOnAllClustersOfThree) {
  const Verdict verdict = TryAllOfThree(InDomains);
  EXPECT_EQ(verdict.wrong, 0) << verdict.first;
}

TEST(OracleDomains, AgreesOnSomeOfFive) {
  const Verdict verdict = TrySomeOfFive(InDomains);
  EXPECT_EQ(verdict.wrong, 0) << verdict.first;
}

// Each leaves something out, down to everything.
TEST(OracleDomains, CatchesAPlacementThatDoesLess) {
  const Bed::Place nothing = [](const PlaceContext&, std::span<const PodId>, const DomainRange&) {
    return Placement{};
  };
  const Bed::Place anywhere = [](const PlaceContext& context, std::span<const PodId> pods,
                                 const DomainRange&) { return PlaceAll(context, pods); };
  const Bed::Place never_outward = [](const PlaceContext& context, std::span<const PodId> pods,
                                      DomainRange range) {
    range.outer = range.inner;
    return PlaceAll(context, pods, range);
  };
  const Bed::Place outer_alone = [](const PlaceContext& context, std::span<const PodId> pods,
                                    DomainRange range) {
    range.inner = range.outer;
    return PlaceAll(context, pods, range);
  };
  for (const auto& place : {nothing, anywhere, never_outward, outer_alone}) {
    EXPECT_GT(TryAllOfThree(place).wrong, 0);
  }
}

TEST(OracleDomains, KnowsTheTightestParts) {
  // Racks of 3, 3, 2, 1 slots in one zone.
  const std::vector<DomainNode> nodes = {{3, 1, 1}, {3, 1, 2}, {2, 1, 3}, {1, 1, 4}};
  const DomainCase c{.nodes = nodes, .pods = 7, .outer = 1, .inner = 1};
  EXPECT_EQ(DomainProblem(c, {3, 3, 0, 1}), "");
  EXPECT_EQ(DomainProblem(c, {3, 3, 1, 0}), "parts [3 3 3 2 0], least [3 3 3 1 0]");
  EXPECT_EQ(DomainProblem(c, {3, 2, 1, 1}), "parts [4 3 3 2 1 0], least [3 3 3 1 0]");
  EXPECT_NE(DomainProblem(c, {}), "");
}

// Several shapes: whether a rack holds all of them.
TEST(OracleDomains, AgreesOnWhatFitsTogetherInOneRack) {
  const PluginSet plugins = TwoLevels();
  DomainRange range;
  range.outer = range.inner = 2;
  int found = 0, searched = 0;
  for (int mix = 0; mix < 6 * 6 * 6 * 6; ++mix) {
    std::vector<DomainNode> nodes;
    std::array<std::vector<int>, 3> free;
    for (int i = 0, rest = mix; i < 4; ++i, rest /= 6) {
      nodes.push_back({1 << (rest % 3), 0, 1 + rest % 6 / 3});
      free.at(static_cast<std::size_t>(nodes.back().rack)).push_back(nodes.back().slots);
    }
    for (const std::vector<int>& sizes :
         {std::vector<int>{1, 2}, {2, 2, 4}, {1, 1, 4}, {1, 2, 4, 4}, {1, 1, 1, 4}}) {
      Bed bed(plugins, nodes);
      for (const int size : sizes) bed.AddPod(size);
      const bool expected =
          testing::AnyPlacement(free[1], sizes) || testing::AnyPlacement(free[2], sizes);
      const auto counts = bed.Run(InDomains, static_cast<int>(sizes.size()), range);
      EXPECT_EQ(!counts.empty(), expected) << mix;
      found += expected ? 1 : 0;
      ++searched;
    }
  }
  EXPECT_GT(found, 0);
  EXPECT_LT(found, searched);
}

}  // namespace
}  // namespace muster::scheduler
