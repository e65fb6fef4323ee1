// /metrics of the real binary over a small story, to the character, and what becomes of it when its
// objects go.
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "e2e/served/exposition.h"
#include "e2e/served/world.h"

namespace muster::e2e {
namespace {

constexpr const char* kGroups = "/apis/muster.dev/v1alpha1/namespaces/default/podgroups/";
constexpr const char* kQueues = "/apis/muster.dev/v1alpha1/queues/";
constexpr const char* kNodes = "/api/v1/nodes";
constexpr const char* kPods = "/api/v1/namespaces/default/pods/";

// The samples, without those that time alone decides: how long something took, how often something
// was asked, and how what came in fell into batches.
std::string Story(const std::string& text) {
  static const std::regex timed(
      "^(#|rest_client_|muster_events_applied|muster_build_info|[a-z_]*_duration_seconds"
      "|muster_admission_wait_time_seconds_(bucket|sum)).*");
  std::istringstream lines(text);
  std::string story;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_match(line, timed)) story += line + "\n";
  }
  return story;
}

// When gang g is bound and gang w was refused.
constexpr const char* kTold = R"(leader_election_master_status{name="muster"} 1
muster_admission_wait_time_seconds_count{queue="q"} 1
muster_admitted_gangs{queue="p"} 0
muster_admitted_gangs{queue="q"} 1
muster_bindings_answered_total{result="done"} 2
muster_bindings_sent_total 2
muster_cluster_capacity{resource="cpu"} 8
muster_cluster_capacity{resource="memory"} 8589934592
muster_cluster_capacity{resource="nvidia.com/gpu"} 2
muster_cluster_capacity{resource="pods"} 110
muster_entries_failed_total 0
muster_entries_settled_total 1
muster_entries_taken_over_total 0
muster_events_dropped_total 0
muster_gangs_admitted_total{queue="q"} 1
muster_gangs_bound_total{queue="q"} 1
muster_kinds_listed_anew_total 0
muster_kinds_taken_over_warm_total 0
muster_lost_wakeups_total 0
muster_members_let_go_total 0
muster_members_replaced_total 0
muster_members_stranded_total 0
muster_pending_gangs{queue="p"} 1
muster_pending_gangs{queue="q"} 0
muster_plans_stale_total 0
muster_pods_deleted_total 0
muster_pods_touched_total 0
muster_queue_nominal_quota{queue="p",resource="nvidia.com/gpu"} 0
muster_queue_nominal_quota{queue="q",resource="nvidia.com/gpu"} 2
muster_queue_resource_usage{queue="p",resource="nvidia.com/gpu"} 0
muster_queue_resource_usage{queue="q",resource="nvidia.com/gpu"} 2
scheduler_pending_pods{queue="active"} 0
scheduler_pending_pods{queue="backoff"} 0
scheduler_pending_pods{queue="gated"} 0
scheduler_pending_pods{queue="unschedulable"} 1
scheduler_pod_scheduling_attempts_count 2
scheduler_pod_scheduling_attempts_sum 2
scheduler_pod_scheduling_attempts_bucket{le="1"} 2
scheduler_pod_scheduling_attempts_bucket{le="2"} 2
scheduler_pod_scheduling_attempts_bucket{le="4"} 2
scheduler_pod_scheduling_attempts_bucket{le="8"} 2
scheduler_pod_scheduling_attempts_bucket{le="16"} 2
scheduler_pod_scheduling_attempts_bucket{le="+Inf"} 2
scheduler_schedule_attempts_total{profile="muster",result="scheduled"} 2
scheduler_schedule_attempts_total{profile="muster",result="unschedulable"} 1
)";

class ServedMetrics : public testing::Test {
 protected:
  void SetUp() override {
    auto started = ServedWorld::Start(kStory);
    ASSERT_TRUE(started.ok()) << started.error().message;
    world_ = std::move(started).value();
    auto muster = world_->Muster("muster-0", {"--metrics-bind-address=127.0.0.1:0"});
    ASSERT_TRUE(muster.ok()) << muster.error().message;
    muster_ = std::move(muster).value();
  }
  [[nodiscard]] std::string Metrics() const {
    Client client(world_->PortOf("muster-0", "metrics"));
    const Answer answer = client.Get("/metrics");
    EXPECT_EQ(answer.status, 200);
    const std::vector<std::string> problems = ReadExposition(answer.text).problems;
    EXPECT_EQ(problems, std::vector<std::string>{});
    return answer.text;
  }
  [[nodiscard]] std::string AwaitLine(const std::string& line) const {
    return AwaitText([this] { return Metrics(); },
                     [&line](const std::string& text) {
                       return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
                     });
  }

  std::unique_ptr<ServedWorld> world_;
  Server muster_;
};

TEST_F(ServedMetrics, TellTheStoryAndFollowItsObjects) {
  // An answer may come behind what it leads to.
  const std::string first = AwaitText([this] { return Metrics(); },
                                      [](const std::string& text) { return Story(text) == kTold; });
  EXPECT_EQ(Story(first), kTold);
  for (const char* line :
       {"rest_client_requests_total{code=\"201\",host=\"127.0.0.1:", "\",method=\"POST\"} ",
        "rest_client_request_duration_seconds_count{host=\"127.0.0.1:"}) {
    EXPECT_NE(first.find(line), std::string::npos) << line;
  }
  // The gang goes: its queue is empty, which is not the same as gone.
  EXPECT_EQ(world_->api().Delete(std::string(kGroups) + "g").status, 200);
  for (const char* pod : {"g-0", "g-1"}) {
    EXPECT_EQ(world_->api().Delete(std::string(kPods) + pod + "?gracePeriodSeconds=0").status, 200);
  }
  const std::string empty =
      AwaitLine("muster_queue_resource_usage{queue=\"q\",resource=\"nvidia.com/gpu\"} 0");
  EXPECT_NE(empty.find("\nmuster_admitted_gangs{queue=\"q\"} 0\n"), std::string::npos) << empty;
  EXPECT_NE(empty.find("\nmuster_gangs_bound_total{queue=\"q\"} 1\n"), std::string::npos) << empty;
  // The queue goes, and all that was said of it; nothing of another.
  EXPECT_EQ(world_->api().Delete(std::string(kQueues) + "q").status, 200);
  const auto names_q = [](const std::string& text) {
    return text.find("queue=\"q\"") != std::string::npos;
  };
  const std::string last = AwaitText([this] { return Metrics(); },
                                     [&](const std::string& text) { return !names_q(text); });
  EXPECT_FALSE(names_q(last)) << last;
  for (const char* line :
       {"muster_pending_gangs{queue=\"p\"} 1", "muster_admitted_gangs{queue=\"p\"} 0",
        "muster_queue_nominal_quota{queue=\"p\",resource=\"nvidia.com/gpu\"} 0",
        "scheduler_schedule_attempts_total{profile=\"muster\",result=\"scheduled\"} 2"}) {
    EXPECT_NE(last.find("\n" + std::string(line) + "\n"), std::string::npos) << line << last;
  }
}

// A node that is removed and added again counts once.
TEST_F(ServedMetrics, CapacityIsThatOfTheNodesOfNow) {
  const auto gpus = [](int amount) {
    return "muster_cluster_capacity{resource=\"nvidia.com/gpu\"} " + std::to_string(amount);
  };
  const auto holds = [&](int amount) {
    return ("\n" + AwaitLine(gpus(amount))).find("\n" + gpus(amount) + "\n") != std::string::npos;
  };
  const Json node = {{"metadata", {{"name", "n2"}}},
                     {"status", {{"allocatable", {{"nvidia.com/gpu", "4"}}}}}};
  EXPECT_TRUE(holds(2));
  EXPECT_EQ(world_->api().Post(kNodes, node).status, 201);
  EXPECT_TRUE(holds(6));
  EXPECT_EQ(world_->api().Delete(std::string(kNodes) + "/n2").status, 200);
  EXPECT_TRUE(holds(2));
  EXPECT_EQ(world_->api().Post(kNodes, node).status, 201);
  EXPECT_TRUE(holds(6));
}

TEST_F(ServedMetrics, EachAddressServesItsOwnPagesAlone) {
  Client loopback(muster_.port), metrics(world_->PortOf("muster-0", "metrics"));
  for (const char* page : {"/metrics", "/readyz", "/healthz", "/explain/default/podgroups/g"}) {
    EXPECT_EQ(loopback.Get(page).status, 200) << page;
    const bool own = std::string(page) == "/metrics";
    EXPECT_EQ(metrics.Get(page).status, own ? 200 : 404) << page;
  }
  const auto second = world_->Muster("muster-1", {"--health-probe-bind-address=127.0.0.1:0"});
  ASSERT_TRUE(second.ok()) << second.error().message;
  Client health(world_->PortOf("muster-1", "health"));
  EXPECT_EQ(health.Get("/healthz").text, "ok\n");
  EXPECT_EQ(health.Get("/readyz").text, "ok, standing by: the lease is held by muster-0\n");
  EXPECT_EQ(health.Get("/metrics").status, 404);
  EXPECT_EQ(health.Get("/explain/default/podgroups/g").status, 404);
  // Nothing is said of queues by who knows none, and nothing twice.
  const std::string standby = Client(second.value().port).Get("/metrics").text;
  EXPECT_NE(standby.find("leader_election_master_status{name=\"muster\"} 0\n"), std::string::npos);
  EXPECT_EQ(standby.find("muster_pending_gangs{"), std::string::npos);
  EXPECT_EQ(Client(second.value().port).Get("/explain/default/podgroups/g").text,
            "standing by: the lease is held by muster-0\n");
}

}  // namespace
}  // namespace muster::e2e
