#include "e2e/owners/disruption.h"

#include <gtest/gtest.h>

#include "e2e/owners/test_bed.h"

namespace muster::e2e {
namespace {

constexpr const char* kBudgetsPath = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const std::string kBudget = std::string(kBudgetsPath) + "/web";

// "1 of 3, needs 2, SufficientPods": disruptions allowed, pods expected, healthy ones needed.
std::string Text(const Json& budget) {
  const auto count = [&](const char* field) {
    return std::to_string(IntAt(budget, {"status", field}).value_or(-1));
  };
  const Json* condition = FindCondition(budget, "DisruptionAllowed");
  return count("disruptionsAllowed") + " of " + count("expectedPods") + ", needs " +
         count("desiredHealthy") + ", " +
         (condition == nullptr ? "" : StringAt(*condition, {"reason"}));
}

struct Budgets : testing::Test {
  Budgets() { bed.AddNode("n"); }
  Bed bed;

  // A ReplicaSet of three pods that are ready.
  void Serve() {
    const Json set = {
        {"metadata", {{"name", "web"}}},
        {"spec",
         {{"replicas", 3},
          {"selector", {{"matchLabels", {{"app", "web"}}}}},
          {"template",
           {{"metadata", {{"labels", {{"app", "web"}}}}}, {"spec", PodBody("p")["spec"]}}}}}};
    ASSERT_EQ(bed.client.Post(kSetsPath, set).code, 201);
    bed.Pass(0);
    BindAll();
    bed.Pass(1'000);
  }
  void BindAll() {
    for (const Json& pod : bed.Pods()) {
      if (StringAt(pod, {"spec", "nodeName"}).empty()) bed.Bind(pod["metadata"]["name"], "n");
    }
  }
  void Make(Json spec) {
    spec["selector"] = {{"matchLabels", {{"app", "web"}}}};
    ASSERT_EQ(bed.client.Post(kBudgetsPath, {{"metadata", {{"name", "web"}}}, {"spec", spec}}).code,
              201);
    bed.Pass(0);
  }
  Json Seen() { return bed.client.Get(kBudget).body; }
  // One that runs and is to stay.
  int Evict() {
    for (const Json& pod : bed.Pods()) {
      if (StringAt(pod, {"status", "phase"}) != "Running" || IsLeaving(pod)) continue;
      const std::string name = StringAt(pod, {"metadata", "name"});
      return bed.client
          .Post(std::string(kPods) + "/" + name + "/eviction", {{"metadata", {{"name", name}}}})
          .code;
    }
    return 0;
  }
};

TEST_F(Budgets, CountWhatTheySelect) {
  struct Case {
    const char* spec;
    const char* text;
  };
  Serve();
  for (const Case& one :
       std::vector<Case>{{R"({"minAvailable":2})", "1 of 3, needs 2, SufficientPods"},
                         {R"({"minAvailable":3})", "0 of 3, needs 3, InsufficientPods"},
                         {R"({"minAvailable":"50%"})", "1 of 3, needs 2, SufficientPods"},
                         {R"({"maxUnavailable":1})", "1 of 3, needs 2, SufficientPods"},
                         {R"({"maxUnavailable":"34%"})", "2 of 3, needs 1, SufficientPods"},
                         {R"({"maxUnavailable":9})", "3 of 3, needs 0, SufficientPods"},
                         {"{}", "0 of 0, needs 0, InsufficientPods"}}) {
    Make(Json::parse(one.spec));
    EXPECT_EQ(Text(Seen()), one.text) << one.spec;
    EXPECT_EQ(Seen()["status"]["currentHealthy"], 3);
    EXPECT_EQ(Seen()["status"]["observedGeneration"], 1);
    ASSERT_EQ(bed.client.Delete(kBudget).code, 200);
  }
}

TEST_F(Budgets, FollowThePods) {
  Make({{"minAvailable", 2}});
  EXPECT_EQ(Text(Seen()), "0 of 0, needs 2, InsufficientPods");
  Serve();
  EXPECT_EQ(Text(Seen()), "1 of 3, needs 2, SufficientPods");
  EXPECT_EQ(Evict(), 201);
  // Before anybody has counted again, and after: one is on its way.
  EXPECT_EQ(Evict(), 429);
  bed.Pass(0);
  EXPECT_EQ(Evict(), 429);
  // Its successor serves, so the next may go.
  bed.Pass(2'000);
  BindAll();
  bed.Pass(1'000);
  EXPECT_EQ(Text(Seen()), "1 of 3, needs 2, SufficientPods");
  EXPECT_EQ(Evict(), 201);
}

TEST_F(Budgets, SayThatNobodyCanTellHowManyPodsAJobIsToHave) {
  Json job = JobOf("train", 2);
  job["spec"]["template"]["metadata"]["labels"]["app"] = "web";
  ASSERT_EQ(bed.client.Post(kJobsPath, job).code, 201);
  Make({{"maxUnavailable", 1}});
  const Json budget = Seen();
  EXPECT_EQ(Text(budget), "0 of -1, needs -1, SyncFailed");
  EXPECT_EQ(StringAt(*FindCondition(budget, "DisruptionAllowed"), {"message"}),
            "jobs.batch does not implement the scale subresource");
}

TEST(PlanBudget, CountsAnEvictedPodAsGoneForTwoMinutes) {
  const Json pod = Json::parse(R"({"metadata":{"name":"p","namespace":"d"},
      "status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  const Json budget = Json::parse(R"({"metadata":{"generation":1},"spec":{"minAvailable":1},
      "status":{"disruptedPods":{"p":"1970-01-01T00:00:10Z","gone":"1970-01-01T00:00:10Z"}}})");
  const auto plan = [&](std::int64_t now_ms) {
    return PlanBudget(
        budget, {&pod}, [](const std::string&) { return nullptr; }, now_ms);
  };
  const BudgetStep held = plan(129'999);
  EXPECT_EQ(held.again_ms, 130'000);
  EXPECT_EQ(held.status["currentHealthy"], 0);
  EXPECT_EQ(held.status["disruptedPods"], Json::parse(R"({"p":"1970-01-01T00:00:10Z"})"));
  const BudgetStep after = plan(130'000);
  EXPECT_EQ(after.again_ms, 0);
  EXPECT_EQ(after.status["currentHealthy"], 1);
  EXPECT_FALSE(after.status.contains("disruptedPods"));
}

}  // namespace
}  // namespace muster::e2e
