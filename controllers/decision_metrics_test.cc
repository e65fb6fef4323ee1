// The series of queues: they follow what a decision changed, and end with their queue.
#include "controllers/decision_metrics.h"

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/testing/manual_loop.h"
#include "controllers/testing/protocol_rig.h"
#include "scheduler/base/amount.h"
#include "scheduler/model/cluster.h"

namespace muster::controllers {
namespace {

using scheduler::Decision;
using SeriesMap = std::map<std::string, std::int64_t>;

class DecisionMetricsTest : public ::testing::Test {
 protected:
  // A queue of one resource, of which it uses so much.
  void SetQueue(const std::string& name, const std::string& resource, std::int64_t used) {
    scheduler::QueueStatus& status = queues_[name];
    status.name = name;
    status.pending_gangs = 1;
    status.admitted_gangs = used > 0 ? 1 : 0;
    status.resources = {{resource, 2'000, used}};
    crds::Queue object;
    object.meta.name = name;
    stores_.Put(object);
  }
  void EraseQueue(const std::string& name) {
    queues_.erase(name);
    stores_.EraseQueue(name);
  }
  static Decision::Admit Admit(std::uint64_t id, const std::string& queue, std::int32_t min) {
    Decision::Admit admit;
    admit.id = id;
    admit.queue = queue;
    admit.min_member = min;
    admit.pods.resize(2);
    admit.attempts = 3;
    return admit;
  }
  static Decision Admitting(std::vector<Decision::Admit> admits) {
    Decision decision;
    decision.admits = std::move(admits);
    return decision;
  }
  // Two members, both bound.
  static Entry BoundEntry(const std::string& queue, std::int32_t min_member) {
    Entry entry;
    entry.queue = queue;
    entry.min_member = min_member;
    entry.members.resize(2);
    for (Member& member : entry.members) member.state = MemberState::kBound;
    return entry;
  }
  void Changed(const std::vector<std::string>& queues) {
    Decision decision;
    decision.changed_queues = queues;
    metrics_.OnDecision(decision);
  }

  testing::ManualLoop loop_;
  testing::FakeTelemetry telemetry_;
  Stores stores_;
  std::map<std::string, scheduler::QueueStatus> queues_;
  DecisionMetrics metrics_{{.loop = loop_,
                            .telemetry = telemetry_,
                            .stores = stores_,
                            .queue = [this](const auto& name) {
                              const auto found = queues_.find(name);
                              return found == queues_.end() ? std::nullopt
                                                            : std::optional(found->second);
                            }}};
};

TEST_F(DecisionMetricsTest, SeriesFollowTheQueueToZeroAndEndWithIt) {
  SetQueue("q", "nvidia.com/gpu", 2'000);
  SetQueue("qq", "nvidia.com/gpu", 0);
  Changed({"q", "qq"});
  const SeriesMap of_qq = {{"pending_gangs{queue=qq}", 1},
                           {"admitted_gangs{queue=qq}", 0},
                           {"queue_nominal_quota{queue=qq,resource=nvidia.com/gpu}", 2'000},
                           {"queue_resource_usage{queue=qq,resource=nvidia.com/gpu}", 0}};
  SeriesMap both = of_qq;
  both.insert({{"pending_gangs{queue=q}", 1},
               {"admitted_gangs{queue=q}", 1},
               {"queue_nominal_quota{queue=q,resource=nvidia.com/gpu}", 2'000},
               {"queue_resource_usage{queue=q,resource=nvidia.com/gpu}", 2'000}});
  EXPECT_EQ(telemetry_.series(), both);
  SetQueue("q", "nvidia.com/gpu", 0);
  Changed({"q"});
  both["admitted_gangs{queue=q}"] = 0;
  both["queue_resource_usage{queue=q,resource=nvidia.com/gpu}"] = 0;
  EXPECT_EQ(telemetry_.series(), both);
  EraseQueue("q");
  Changed({"q"});
  EXPECT_EQ(telemetry_.series(), of_qq);
}

TEST_F(DecisionMetricsTest, AResourceThatTheQueueNamesNoMoreEndsAlone) {
  SetQueue("q", "cpu", 500);
  Changed({"q"});
  SetQueue("q", "memory", 7);
  Changed({"q"});
  EXPECT_EQ(telemetry_.series(), (SeriesMap{{"pending_gangs{queue=q}", 1},
                                            {"admitted_gangs{queue=q}", 1},
                                            {"queue_nominal_quota{queue=q,resource=memory}", 2'000},
                                            {"queue_resource_usage{queue=q,resource=memory}", 7}}));
}

// Seen elsewhere: koordinator-sh/koordinator#771.
TEST_F(DecisionMetricsTest, CapacityIsThatOfTheNodesOfNow) {
  scheduler::Cluster cluster;
  const auto capacity = [&] {
    ShowCapacity(telemetry_, cluster);
    return telemetry_.series();
  };
  const auto seen = [&](const std::string& name, const std::string& uid) {
    scheduler::NodeSeen node;
    node.name = name;
    node.uid = uid;
    node.allocatable = {{"nvidia.com/gpu", 4'000}};
    cluster.Apply(std::move(node));
  };
  const SeriesMap both = {{"cluster_capacity{resource=nvidia.com/gpu}", 8'000},
                          {"cluster_capacity{resource=pods}", 0}};
  SeriesMap one = both;
  one["cluster_capacity{resource=nvidia.com/gpu}"] = 4'000;
  seen("n1", "u1");
  seen("n2", "u2");
  EXPECT_EQ(capacity(), both);
  cluster.Apply(scheduler::NodeGone{"n2"});
  EXPECT_EQ(capacity(), one);
  seen("n2", "u3");
  EXPECT_EQ(capacity(), both);
}

TEST_F(DecisionMetricsTest, WhatManyNodesOfferStopsAtWhatCanBeSaid) {
  scheduler::Cluster cluster;
  for (int i = 0; i < 200; ++i) {
    scheduler::NodeSeen node;
    node.name = "n" + std::to_string(i);
    node.uid = node.name;
    node.allocatable = {{"nvidia.com/gpu", kAmountMax}};
    cluster.Apply(std::move(node));
  }
  ShowCapacity(telemetry_, cluster);
  EXPECT_EQ(telemetry_.series().at("cluster_capacity{resource=nvidia.com/gpu}"),
            std::numeric_limits<std::int64_t>::max());
}

TEST_F(DecisionMetricsTest, AnAdmissionIsCountedForItsQueueAndItsPods) {
  SetQueue("q", "cpu", 0);
  Decision::Admit admit = Admit(1, "q", 2);
  admit.queued = Wall{loop_.now().wall.ms - 1'500};
  Decision decision = Admitting({admit, Admit(2, "q", 0)});
  decision.refused_pods = 4;
  metrics_.OnDecision(decision);
  EXPECT_EQ(telemetry_.series(), (SeriesMap{{"gangs_admitted{queue=q}", 1},
                                            {"admission_wait_ms{queue=q}", 1'500},
                                            {"pod_scheduling_attempts{}", 12},
                                            {"schedule_attempts{result=unschedulable}", 4}}));
}

// The clock that made it is the API server's.
TEST_F(DecisionMetricsTest, AGangFromTheFutureHasNotWaited) {
  SetQueue("q", "cpu", 0);
  Decision::Admit admit = Admit(1, "q", 2);
  admit.queued = Wall{loop_.now().wall.ms + 1'500};
  metrics_.OnDecision(Admitting({admit}));
  EXPECT_EQ(telemetry_.series().at("admission_wait_ms{queue=q}"), 0);
}

TEST_F(DecisionMetricsTest, NothingIsCountedForAQueueThatIsGone) {
  metrics_.OnDecision(Admitting({Admit(1, "gone", 2)}));
  Changed({"gone"});
  CountSettled(telemetry_, stores_, BoundEntry("gone", 2));
  EXPECT_EQ(telemetry_.series(),
            (SeriesMap{{"pod_scheduling_attempts{}", 6}, {"entries_settled{}", 1}}));
}

TEST_F(DecisionMetricsTest, AGangIsBoundByTheEntryOfItsMinimumOfWhichSomeAreLeft) {
  SetQueue("q", "cpu", 0);
  CountSettled(telemetry_, stores_, BoundEntry("q", 2));
  CountSettled(telemetry_, stores_, BoundEntry("q", 0));
  Entry lost = BoundEntry("q", 2);
  for (Member& member : lost.members) member.state = MemberState::kLost;
  CountSettled(telemetry_, stores_, lost);
  EXPECT_EQ(telemetry_.series(),
            (SeriesMap{{"entries_settled{}", 3}, {"gangs_bound{queue=q}", 1}}));
}

TEST_F(DecisionMetricsTest, WhatIsGivenUpAtOnceWasNotAdmitted) {
  SetQueue("q", "cpu", 0);
  Decision decision = Admitting({Admit(1, "q", 2)});
  decision.abandons.resize(1);
  decision.abandons[0].id = 1;
  metrics_.OnDecision(decision);
  EXPECT_EQ(telemetry_.series(), SeriesMap{});
}

}  // namespace
}  // namespace muster::controllers
