#include "e2e/demo/timeline.h"

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

Json Pod(const std::string& type, const std::string& name, const std::string& node,
         const std::string& phase = "Pending") {
  return {
      {"type", type},
      {"object",
       {{"metadata", {{"name", name}, {"uid", name}, {"labels", {{"muster.dev/pod-group", "g"}}}}},
        {"spec", {{"nodeName", node}}},
        {"status", {{"phase", phase}}}}}};
}

TEST(Timeline, KnowsWhenThingsWereFirstSeen) {
  Timeline timeline;
  timeline.Add("Pod", Pod("ADDED", "a", ""), 10);
  timeline.Add("Pod", Pod("MODIFIED", "a", "n"), 20);
  timeline.Add("Pod", Pod("MODIFIED", "a", "n", "Running"), 30);
  timeline.Add("Node", {{"type", "ADDED"}, {"object", {{"metadata", {{"name", "n"}}}}}}, 40);
  timeline.Add("Pod", {{"type", "BOOKMARK"}, {"object", Json::object()}}, 50);
  EXPECT_EQ(timeline.PodMade("a"), 10);
  EXPECT_EQ(timeline.PodBound("a"), 20);
  EXPECT_EQ(timeline.PodReached("a", "Running"), 30);
  EXPECT_EQ(timeline.NodeMade("n"), 40);
  EXPECT_EQ(timeline.PodBound("b"), std::nullopt);
  EXPECT_EQ(timeline.pod_events(), 3);
}

struct RestCase {
  std::string what;
  std::vector<std::pair<Json, std::int64_t>> events;
  std::int64_t now_ms = 0;
  Timeline::Window except{};
  std::size_t rests = 0;
};

TEST(Timeline, FindsGangsThatRestHalfBound) {
  const Json a = Pod("ADDED", "a", ""), b = Pod("ADDED", "b", "");
  const Json a_bound = Pod("MODIFIED", "a", "n"), b_bound = Pod("MODIFIED", "b", "n");
  const Json b_gone = Pod("DELETED", "b", "");
  const std::vector<RestCase> cases{
      {"none bound", {{a, 0}, {b, 0}}, 9000, {}, 0},
      {"whole", {{a, 0}, {b, 0}, {a_bound, 100}, {b_bound, 200}}, 9000, {}, 0},
      {"half, then quiet", {{a, 0}, {b, 0}, {a_bound, 100}}, 2100, {}, 1},
      {"half, quiet for less", {{a, 0}, {b, 0}, {a_bound, 100}}, 2099, {}, 0},
      {"half for long between two events",
       {{a, 0}, {b, 0}, {a_bound, 100}, {b_bound, 2100}},
       9000,
       {},
       1},
      {"half in the window", {{a, 0}, {b, 0}, {a_bound, 100}, {b_bound, 2100}}, 9000, {50, 300}, 0},
      {"half after the window", {{a, 0}, {b, 0}, {a_bound, 100}}, 9000, {10, 99}, 1},
      {"the other is deleted", {{a, 0}, {b, 0}, {a_bound, 100}, {b_gone, 200}}, 9000, {}, 0},
  };
  for (const RestCase& one : cases) {
    Timeline timeline;
    for (const auto& [frame, at_ms] : one.events) timeline.Add("Pod", frame, at_ms);
    EXPECT_EQ(timeline.Rests(2000, one.now_ms, one.except).size(), one.rests) << one.what;
  }
}

TEST(Timeline, CountsDeletedMembersAndWhatIsHalfBoundNow) {
  Timeline timeline;
  timeline.Add("Pod", Pod("ADDED", "a", "n"), 0);
  timeline.Add("Pod", Pod("ADDED", "b", ""), 0);
  EXPECT_TRUE(timeline.HalfBound());
  timeline.Add("Pod", Pod("DELETED", "b", ""), 0);
  EXPECT_FALSE(timeline.HalfBound());
  EXPECT_EQ(timeline.Deleted("g"), 1);
}

}  // namespace
}  // namespace muster::e2e
