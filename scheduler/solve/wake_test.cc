// A gang that is parked for GPUs: what tries it again, and what does not.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/framework/policy.h"
#include "scheduler/solve/scheduler.h"
#include "scheduler/testing/builders.h"

namespace muster::scheduler {
namespace {

using testing::BoundTo;
using testing::MakeForeign;
using testing::MakeGang;
using testing::MakeMember;
using testing::MakeNode;
using testing::MakeQueue;

// Two nodes of eight GPUs; a gang of two pods of eight that cannot start, for the one reason that
// the test names.
class Wake : public ::testing::Test {
 protected:
  Wake() : scheduler_(DefaultPolicy()) {
    Apply(NamespaceSeen{"default", {}});
    Apply(MakeQueue("q", {{"nvidia.com/gpu", "64"}}));
    Apply(MakeNode("n1", {{"nvidia.com/gpu", "8"}}));
    Apply(Synced{});
  }
  void Apply(const Event& event) { scheduler_.Apply(event); }
  void Submit() {
    Apply(MakeGang("g", "q", 2));
    for (int i = 0; i < 2; ++i) Apply(Member(i));
  }
  static PodSeen Member(int i) { return MakeMember("g", i, {{"nvidia.com/gpu", "8"}}); }
  std::size_t Decide() {
    ++now_.mono.ms;
    return scheduler_.Decide(now_, {}).admits.size();
  }
  [[nodiscard]] std::int32_t Attempts() const {
    return scheduler_.Status(testing::GroupKey("g"))->attempts;
  }
  // The gang waits; the event starts it within one Decide, at its second attempt.
  void ExpectWokenBy(const Event& event, const std::string& cause) {
    EXPECT_EQ(Decide(), 0U);
    EXPECT_EQ(Decide(), 0U);
    const std::int32_t attempts = Attempts();
    Apply(event);
    EXPECT_EQ(Decide(), 1U);
    EXPECT_EQ(Attempts(), attempts + 1);
    EXPECT_EQ(scheduler_.Explain(testing::GroupKey("g"))->woken_by, cause);
  }

  Scheduler scheduler_;
  Now now_;
};

TEST_F(Wake, NodeAdded) {
  Submit();
  ExpectWokenBy(MakeNode("n2", {{"nvidia.com/gpu", "8"}}), "Node/n2");
}

// The first shape was short, so nobody has looked for the second; it waits on a node that nothing
// touches.
TEST_F(Wake, NodeAddedForOneOfTwoShapes) {
  Apply(MakeNode("n1", {{"nvidia.com/gpu", "4"}, {"cpu", "4"}}));
  Apply(MakeGang("g", "q", 2));
  Apply(Member(0));
  Apply(MakeMember("g", 1, {{"nvidia.com/gpu", "4"}, {"cpu", "4"}}));
  ExpectWokenBy(MakeNode("n2", {{"nvidia.com/gpu", "8"}}), "Node/n2");
}

TEST_F(Wake, AllocatableRaised) {
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "4"}}));
  Submit();
  ExpectWokenBy(MakeNode("n2", {{"nvidia.com/gpu", "8"}}), "Node/n2");
}

TEST_F(Wake, TaintRemoved) {
  NodeSeen node = MakeNode("n2", {{"nvidia.com/gpu", "8"}});
  node.taints.push_back({"pool", "x", TaintEffect::kNoSchedule});
  Apply(node);
  Submit();
  node.taints.clear();
  ExpectWokenBy(node, "Node/n2");
}

TEST_F(Wake, LabelAdded) {
  NodeSeen node = MakeNode("n2", {{"nvidia.com/gpu", "8"}});
  NodeSeen first = MakeNode("n1", {{"nvidia.com/gpu", "8"}});
  first.labels = {{"pool", "a"}};
  Apply(node);
  Apply(first);
  Apply(MakeGang("g", "q", 2));
  for (int i = 0; i < 2; ++i) {
    PodSeen pod = Member(i);
    pod.shape.node_selector = {{"pool", "a"}};
    Apply(pod);
  }
  node.labels = {{"pool", "a"}};
  ExpectWokenBy(node, "Node/n2");
}

TEST_F(Wake, PodEnded) {
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "8"}}));
  PodSeen other =
      BoundTo(testing::MakeSingle("other", "q", {{"nvidia.com/gpu", "1"}}), "n2", "q", "");
  Apply(other);
  Submit();
  other.state = PodState::kSucceeded;
  ExpectWokenBy(other, "Pod/default/other");
}

TEST_F(Wake, PodDeleted) {
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "8"}}));
  const PodSeen other =
      BoundTo(testing::MakeSingle("other", "q", {{"nvidia.com/gpu", "1"}}), "n2", "q", "");
  Apply(other);
  Submit();
  ExpectWokenBy(PodGone{other.uid}, "Pod/default/other");
}

TEST_F(Wake, ForeignPodEnded) {
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "8"}}));
  PodSeen foreign = MakeForeign("f", "n2", {{"nvidia.com/gpu", "1"}});
  Apply(foreign);
  Submit();
  foreign.state = PodState::kFailed;
  ExpectWokenBy(foreign, "Pod/default/f");
}

TEST_F(Wake, QueueCeilingRaised) {
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "8"}}));
  QueueSeen queue = MakeQueue("q", {{"nvidia.com/gpu", "8"}});
  queue.resources[0].limited = true;
  Apply(queue);
  Submit();
  queue.resources[0].borrowing_limit = 8000;
  ExpectWokenBy(queue, "Queue/q");
}

TEST_F(Wake, StopPolicyLifted) {
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "8"}}));
  QueueSeen queue = MakeQueue("q");
  queue.stopped = true;
  Apply(queue);
  Submit();
  queue.stopped = false;
  ExpectWokenBy(queue, "Queue/q");
}

TEST_F(Wake, MissingMemberAdded) {
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "8"}}));
  Apply(MakeGang("g", "q", 2));
  Apply(Member(0));
  ExpectWokenBy(Member(1), "Pod/default/g-1");
}

TEST_F(Wake, MemberAddedThatAsksForLess) {
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "4"}}));
  Apply(MakeGang("g", "q", 2));
  for (const int i : {1, 2}) Apply(Member(i));
  ExpectWokenBy(MakeMember("g", 0, {{"nvidia.com/gpu", "4"}}), "Pod/default/g-0");
}

// It asks for what the gang was refused already; it is an attempt all the same, and one only.
TEST_F(Wake, MemberAddedThatAsksForTheSame) {
  Submit();
  EXPECT_EQ(Decide(), 0U);
  const std::int32_t attempts = Attempts();
  Apply(Member(2));
  EXPECT_EQ(Decide(), 0U);
  EXPECT_EQ(Attempts(), attempts + 1);
  EXPECT_EQ(scheduler_.Explain(testing::GroupKey("g"))->woken_by, "Pod/default/g-2");
  EXPECT_EQ(Decide(), 0U);
  EXPECT_EQ(Attempts(), attempts + 1);
}

TEST_F(Wake, NamespaceLabelAdded) {
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "8"}}));
  QueueSeen queue = MakeQueue("q");
  queue.namespace_selector.push_back({Requirement::Op::kIn, "team", {"a"}});
  Apply(queue);
  Submit();
  ExpectWokenBy(NamespaceSeen{"default", {{"team", "a"}}}, "Namespace/default");
}

// Without the class nobody knows what the gang is worth.
TEST_F(Wake, PriorityClassCreated) {
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "8"}}));
  GangSeen gang = MakeGang("g", "q", 2);
  gang.priority_class = "high";
  Apply(gang);
  for (int i = 0; i < 2; ++i) Apply(Member(i));
  EXPECT_EQ(Decide(), 0U);
  const auto status = scheduler_.Status(testing::GroupKey("g"));
  EXPECT_EQ(status->admitted_reason, "Invalid");
  EXPECT_EQ(status->message, "spec.priorityClassName: PriorityClass \"high\" does not exist");
  Apply(PriorityClassSeen{"low", 1});
  ExpectWokenBy(PriorityClassSeen{"high", 1000}, "PriorityClass/high");
}

// A waiting gang is worth nothing without its class; what runs goes on, its surplus too.
TEST_F(Wake, PriorityClassDeleted) {
  Apply(PriorityClassSeen{"high", 1000});
  GangSeen gang = MakeGang("g", "q", 1);
  gang.priority_class = "high";
  Apply(gang);
  Apply(BoundTo(Member(0), "n1", "q", gang.uid));
  EXPECT_EQ(Decide(), 0U);
  Apply(PriorityClassGone{"high"});
  gang = MakeGang("late", "q", 1);
  gang.priority_class = "high";
  Apply(gang);
  Apply(MakeMember("late", 0, {{"nvidia.com/gpu", "8"}}));
  Apply(Member(1));
  Apply(MakeNode("n2", {{"nvidia.com/gpu", "8"}}));
  Apply(MakeNode("n3", {{"nvidia.com/gpu", "8"}}));
  EXPECT_EQ(Decide(), 1U);
  const auto running = scheduler_.Status(testing::GroupKey("g"));
  EXPECT_EQ(running->phase, Phase::kRunning);
  EXPECT_EQ(running->priority, 1000);
  EXPECT_FALSE(running->members[1].node.empty());
  EXPECT_EQ(scheduler_.Status(testing::GroupKey("late"))->reason, "Invalid");
}

// What nodes hold, and what pods ask for, says where a gang had better start: never whether it can.
TEST_F(Wake, ImagesAreNoNews) {
  NodeSeen node = MakeNode("n1", {{"nvidia.com/gpu", "8"}});
  PodSeen pod = Member(0);
  pod.images = {"train:1"};
  Submit();
  Apply(pod);
  EXPECT_EQ(Decide(), 0U);
  const std::int32_t attempts = Attempts();
  const std::uint64_t seq = scheduler_.cluster().columns().change_seq();
  for (int i = 0; i < 3; ++i) {
    node.images = {{"side:1", 1}, {"train:1", std::int64_t{i} << 30U}};
    Apply(node);
    pod.images.push_back("train:1");
    Apply(pod);
    EXPECT_TRUE(scheduler_.cluster().touched().empty());
    EXPECT_EQ(scheduler_.cluster().columns().change_seq(), seq);
    const Decision decision = scheduler_.Decide(now_, {});
    EXPECT_TRUE(decision.changed_gangs.empty());
    EXPECT_TRUE(decision.changed_queues.empty());
  }
  EXPECT_EQ(Attempts(), attempts);
  EXPECT_EQ(scheduler_.cluster().images().Spread().size(), 2U);
}

TEST_F(Wake, AThousandUnrelatedEventsCostNoAttempt) {
  NodeSeen first = MakeNode("n1", {{"nvidia.com/gpu", "8"}});
  NodeSeen second = MakeNode("n2", {{"nvidia.com/gpu", "8"}, {"cpu", "64"}});
  Apply(second);
  Apply(MakeForeign("holder", "n2", {{"nvidia.com/gpu", "1"}}));
  Submit();
  // A gang of several shapes has no exact bound; only growth may try it again.
  Apply(MakeGang("mixed", "q", 2));
  Apply(MakeMember("mixed", 0, {{"nvidia.com/gpu", "8"}}));
  Apply(MakeMember("mixed", 1, {{"nvidia.com/gpu", "7"}, {"cpu", "1"}}));
  Apply(MakeMember("mixed", 2, {{"nvidia.com/gpu", "1"}}));
  Decide();
  EXPECT_EQ(Decide(), 0U);
  const std::int32_t attempts = Attempts();
  const std::int32_t mixed = scheduler_.Status(testing::GroupKey("mixed"))->attempts;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "pod-" + std::to_string(i);
    PodSeen pod = MakeForeign(name, "n2", {{"cpu", "1"}});
    Apply(pod);
    if (i % 3 == 1) Apply(PodGone{pod.uid});
    if (i % 3 == 2) Apply(NamespaceSeen{"ns-" + std::to_string(i), {}});
    if (i % 50 == 7) Apply(MakeQueue("queue-" + std::to_string(i)));
    const std::string other = "other-" + std::to_string(i / 10);
    if (i % 10 == 2) Apply(MakeGang(other, "q", 2));
    if (i % 10 == 3) Apply(MakeMember(other, 0, {{"nvidia.com/gpu", "1"}}));
    if (i % 10 == 4) Apply(GangGone{testing::GroupKey(other)});
    if (i % 10 == 5) Apply(PodGone{"uid-" + other + "-0"});
    if (i % 10 == 6) {
      first.labels = {{"note", std::to_string(i)}};
      Apply(first);
    }
    if (i % 10 == 8) {
      second.allocatable = testing::MakeAmounts(
          {{"nvidia.com/gpu", "8"}, {"cpu", std::to_string(65 + i)}, {"pods", "110"}});
      Apply(second);
    }
    if (i % 3 == 0) {
      pod.state = PodState::kSucceeded;
      Apply(pod);
    }
    EXPECT_EQ(Decide(), 0U);
  }
  EXPECT_EQ(Attempts(), attempts);
  EXPECT_EQ(scheduler_.Status(testing::GroupKey("mixed"))->attempts, mixed);
}

}  // namespace
}  // namespace muster::scheduler
