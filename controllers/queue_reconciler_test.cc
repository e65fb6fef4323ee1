#include "controllers/queue_reconciler.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/testing/status_builders.h"

namespace muster::controllers {
namespace {

using testing::kNow;
using testing::kNowSeconds;

crds::Queue Queue(std::vector<std::string> resources) {
  crds::Queue queue;
  queue.meta.name = "research";
  queue.meta.generation = 3;
  for (std::string& name : resources) {
    crds::QueueResource resource;
    resource.name = std::move(name);
    queue.resources.push_back(std::move(resource));
  }
  return queue;
}

scheduler::QueueStatus Status(std::vector<scheduler::QueueStatus::Use> resources) {
  scheduler::QueueStatus status;
  status.name = "research";
  status.active = true;
  status.active_reason = "Ready";
  status.pending_gangs = 1;
  status.admitted_gangs = 1;
  status.resources = std::move(resources);
  return status;
}

TEST(QueueReconciler, WritesTheWholeStatus) {
  crds::QueueStatus expected;
  crds::Condition active;
  active.type = "Active";
  active.status = "True";
  active.reason = "Ready";
  active.observed_generation = 3;
  active.last_transition_ms = kNowSeconds;
  expected.conditions = {active};
  expected.pending_gangs = expected.admitted_gangs = 1;
  expected.resources = {{"cpu", "64", "4500m"}, {"nvidia.com/gpu", "32", "32"}};
  expected.usage_summary = "32/32 nvidia.com/gpu";
  expected.observed_generation = 3;
  expected.last_update_ms = kNowSeconds;
  EXPECT_EQ(ReconcileQueue(Status({{"cpu", 64'000, 4'500}, {"nvidia.com/gpu", 32'000, 32'000}}),
                           Queue({"cpu", "nvidia.com/gpu"}), kNow),
            expected);
}

TEST(QueueReconciler, SummarisesTheFirstDeviceElseTheFirstResource) {
  const std::int64_t gib = std::int64_t{1} << 30U;
  struct Case {
    std::vector<std::string> spec;
    std::vector<scheduler::QueueStatus::Use> uses;
    std::string summary;
  };
  const std::vector<Case> cases = {
      {{}, {}, ""},
      {{"memory", "cpu"}, {{"cpu", 1'000, 0}, {"memory", 16 * gib, 8 * gib}}, "8Gi/16Gi memory"},
      {{"cpu", "memory"}, {{"cpu", 1'000, 250}, {"memory", 16 * gib, 0}}, "250m/1 cpu"},
      {{"pods", "amd.com/gpu", "nvidia.com/gpu"},
       {{"amd.com/gpu", 8'000, 1'000}, {"nvidia.com/gpu", 8'000, 2'000}, {"pods", 10, 3}},
       "1/8 amd.com/gpu"},
  };
  for (const Case& c : cases) {
    const auto status = ReconcileQueue(Status(c.uses), Queue(c.spec), kNow);
    ASSERT_TRUE(status.has_value());
    EXPECT_EQ(status->usage_summary, c.summary);
  }
}

// The API server would refuse the whole status for it.
TEST(QueueReconciler, CutsTheNameThatIsTooLongForTheSummary) {
  const std::string name = "example.com/" + std::string(305, 'x');
  const auto status = ReconcileQueue(Status({{name, 8'000, 4'000}}), Queue({name}), kNow);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->usage_summary, ("4/8 " + name).substr(0, 252) + " ...");
  EXPECT_EQ(status->resources.at(0).name, name);
}

TEST(QueueReconciler, SaysWhyAQueueIsNotActive) {
  scheduler::QueueStatus queue = Status({});
  queue.active = false;
  queue.active_reason = "Misconfigured";
  queue.active_message = "spec.resources[0].nominalQuota: 1e30 is more than 9223372036854775807";
  const auto status = ReconcileQueue(queue, Queue({"nvidia.com/gpu"}), kNow);
  ASSERT_TRUE(status.has_value());
  ASSERT_EQ(status->conditions.size(), 1U);
  EXPECT_EQ(status->conditions[0].type, "Active");
  EXPECT_EQ(status->conditions[0].status, "False");
  EXPECT_EQ(status->conditions[0].reason, "Misconfigured");
  EXPECT_EQ(status->conditions[0].message, queue.active_message);
  EXPECT_EQ(status->usage_summary, "");
}

TEST(QueueReconciler, WritesNothingWhenNothingDiffers) {
  scheduler::QueueStatus core = Status({{"nvidia.com/gpu", 32'000, 32'000}});
  crds::Queue queue = Queue({"nvidia.com/gpu"});
  queue.status = ReconcileQueue(core, queue, kNow);
  const Wall later{kNow.ms + 60'000};
  EXPECT_EQ(ReconcileQueue(core, queue, later), std::nullopt);
  core.pending_gangs = 2;
  const auto changed = ReconcileQueue(core, queue, later);
  ASSERT_TRUE(changed.has_value());
  EXPECT_EQ(changed->last_update_ms, kNowSeconds + 60'000);
  EXPECT_EQ(changed->conditions, queue.status->conditions);
}

}  // namespace
}  // namespace muster::controllers
