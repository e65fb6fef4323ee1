// Gangs with sub-groups against brute force: which members are the minimum is picked by hand, and
// whether they fit is tried in every way.
#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/framework/policy.h"
#include "scheduler/solve/scheduler.h"
#include "scheduler/testing/builders.h"
#include "scheduler/testing/oracle_placement.h"

namespace muster::scheduler {
namespace {

constexpr const char* kDevice = "nvidia.com/gpu";

constexpr int kNone = 2;  // The sub-group of a member that is in none.

struct Member {
  int size = 0;
  int sub = 0;
};
struct Case {
  std::vector<int> nodes;
  std::vector<Member> members;
  int min_member = 1;
  std::array<int, 2> subs{};  // Minimum of sub-group a and b.
};

// Neighbours share a rank, as the pods of two Jobs do.
int RankOf(int member) {
  return member / 2;
}

// The first in order of those that `fits`, of those not yet picked.
std::optional<int> First(const Case& c, const std::set<int>& picked,
                         const std::function<bool(const Member&)>& fits) {
  std::optional<int> best;
  const auto order = [&](int i) {
    return std::tuple(RankOf(i), c.members[static_cast<std::size_t>(i)].sub, i);
  };
  for (int i = 0; i < static_cast<int>(c.members.size()); ++i) {
    if (picked.contains(i) || !fits(c.members[static_cast<std::size_t>(i)])) continue;
    if (!best || order(i) < order(*best)) best = i;
  }
  return best;
}

// Nullopt: not enough members.
std::optional<std::set<int>> MinimumByHand(const Case& c) {
  std::set<int> picked;
  for (int sub = 0; sub < 2; ++sub) {
    for (int n = 0; n < c.subs[static_cast<std::size_t>(sub)]; ++n) {
      const auto next = First(c, picked, [&](const Member& m) { return m.sub == sub; });
      if (!next) return std::nullopt;
      picked.insert(*next);
    }
  }
  while (static_cast<int>(picked.size()) < c.min_member) {
    const auto next = First(c, picked, [](const Member&) { return true; });
    if (!next) return std::nullopt;
    picked.insert(*next);
  }
  return picked;
}

// The pods that are to be bound together; none at all if they do not fit.
std::set<int> Expected(const Case& c) {
  const auto minimum = MinimumByHand(c);
  if (!minimum) return {};
  std::vector<int> sizes;
  for (const int i : *minimum) sizes.push_back(c.members[static_cast<std::size_t>(i)].size);
  return testing::AnyPlacement(c.nodes, sizes) ? *minimum : std::set<int>();
}

using Solve = std::function<std::set<int>(const Case& c)>;

std::set<int> Decided(const Case& c, bool with_sub_groups) {
  Scheduler scheduler(DefaultPolicy());
  scheduler.Apply(NamespaceSeen{"default", {}});
  scheduler.Apply(testing::MakeQueue("q"));
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const std::string gpus = std::to_string(c.nodes[i]);
    scheduler.Apply(testing::MakeNode("n" + std::to_string(i), {{kDevice, gpus}}));
  }
  GangSeen gang = testing::MakeGang("g", "q", std::max(c.min_member, c.subs[0] + c.subs[1]));
  if (with_sub_groups) gang.sub_groups = {{"a", c.subs[0]}, {"b", c.subs[1]}};
  scheduler.Apply(gang);
  for (int i = 0; i < static_cast<int>(c.members.size()); ++i) {
    const Member& member = c.members[static_cast<std::size_t>(i)];
    const std::string gpus = std::to_string(member.size);
    PodSeen pod = testing::MakeMember("g", i, {{kDevice, gpus}});
    pod.rank = RankOf(i);
    pod.sub_group = member.sub == kNone ? "other" : member.sub == 0 ? "a" : "b";
    scheduler.Apply(pod);
  }
  scheduler.Apply(Synced{});
  const Decision decision = scheduler.Decide({}, {});
  std::set<int> pods;
  EXPECT_LE(decision.admits.size(), 1U);
  for (const Decision::Admit& admit : decision.admits) {
    EXPECT_EQ(admit.min_member, static_cast<std::int32_t>(admit.pods.size()));
    for (const Decision::Bind& bind : admit.pods) pods.insert(bind.pod_key.name.back() - '0');
  }
  EXPECT_EQ(scheduler.cluster().Audit(), "");
  return pods;
}

// All lists of `count` members of size 1 or 2, in sub-group a, b or none.
std::vector<std::vector<Member>> AllMembers(int count) {
  std::vector<std::vector<Member>> lists = {{}};
  for (int i = 0; i < count; ++i) {
    std::vector<std::vector<Member>> longer;
    for (const auto& list : lists) {
      for (const int size : {1, 2}) {
        for (const int sub : {0, 1, kNone}) {
          longer.push_back(list);
          longer.back().push_back({size, sub});
        }
      }
    }
    lists = std::move(longer);
  }
  return lists;
}

int Differences(const Solve& solve) {
  int differences = 0;
  for (const int count : {3, 4}) {
    for (const auto& members : AllMembers(count)) {
      for (const auto& nodes : {std::vector{2, 2}, std::vector{1, 2, 1}, std::vector{3, 1}}) {
        for (const auto& subs : {std::array{1, 1}, std::array{2, 0}, std::array{1, 2}}) {
          for (const int min_member : {1, 3}) {
            const Case c{nodes, members, min_member, subs};
            differences += solve(c) == Expected(c) ? 0 : 1;
          }
        }
      }
    }
  }
  return differences;
}

TEST(OracleSubGroups, AgreesOnAllSmallGangs) {
  EXPECT_EQ(Differences([](const Case& c) { return Decided(c, true); }), 0);
}

TEST(OracleSubGroups, CatchesWhoForgetsTheSubGroups) {
  EXPECT_GT(Differences([](const Case& c) { return Decided(c, false); }), 0);
}

TEST(OracleSubGroups, CatchesWhoDoesNothing) {
  EXPECT_GT(Differences([](const Case&) { return std::set<int>(); }), 0);
}

TEST(OracleSubGroups, KnowsWhatIsWanted) {
  // Web, db, db, web; two of the first and one of the second, four in all.
  Case c{{8}, {{1, 0}, {1, 1}, {1, 1}, {1, 0}}, 3, {2, 1}};
  EXPECT_EQ(Expected(c), (std::set<int>{0, 1, 3}));
  c.min_member = 4;
  EXPECT_EQ(Expected(c), (std::set<int>{0, 1, 2, 3}));
  c.nodes = {3};
  EXPECT_EQ(Expected(c), std::set<int>());
  c.members[3].sub = kNone;
  EXPECT_EQ(MinimumByHand(c), std::nullopt);
}

}  // namespace
}  // namespace muster::scheduler
