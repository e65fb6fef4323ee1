// What a user reads of a gang whose members end, go, or hang in their end.
#include <algorithm>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "controllers/conditions.h"
#include "controllers/testing/user_world.h"
#include "scheduler/base/amount.h"

namespace muster::controllers {
namespace {

using testing::UserWorld;

std::string ScheduledBriefly(const crds::PodGroupStatus& status) {
  const crds::Condition* c = FindCondition(status.conditions, "Scheduled");
  return c == nullptr ? "" : c->status + " " + c->reason;
}

// One that its owner makes later, perhaps under the name of one that was lost.
void Put(UserWorld& world, const std::string& name, const std::string& group, std::int64_t gpus) {
  crds::Pod pod = world.NewPod(name, gpus);
  pod.meta.uid += "-late";
  pod.meta.labels = {{"muster.dev/pod-group", group}};
  world.Put(std::move(pod));
}

void End(UserWorld& world, const std::string& name) {
  crds::Pod pod = world.PodNow(name);
  pod.phase = "Succeeded";
  world.Put(std::move(pod));
}

// kubernetes/kubernetes#140306
TEST(LostMemberView, AMemberThatIsGoneIsCountedNoMoreAndItsSuccessorTakesItsPlace) {
  UserWorld world;
  world.Node("n1", 1);
  world.Node("n2", 1);
  world.Queue("q", "2");
  world.Group("g", "q", 2);
  world.Members("g", 2, 1);
  world.Settle();
  ASSERT_EQ(world.GroupStatus("g").summary, "2/2");
  const std::string node = world.NodeOf("g-1");
  world.PodGoes("g-1");
  for (int i = 0; i < 3; ++i) world.Settle();
  const crds::PodGroupStatus& lost = world.GroupStatus("g");
  EXPECT_EQ(lost.members, (crds::PodGroupMembers{.total = 1, .bound = 1, .running = 1}));
  EXPECT_EQ(lost.summary, "1/2");
  EXPECT_EQ(lost.phase, "Running");
  EXPECT_EQ(lost.reason, "NotEnoughMembers");
  EXPECT_EQ(lost.message, "1 of 2 members exist");
  EXPECT_EQ(ScheduledBriefly(lost), "False NotEnoughMembers");
  // What runs on is charged: it is admitted, and its queue cannot be changed.
  ASSERT_TRUE(lost.admission.has_value());
  EXPECT_EQ(lost.admission->charges,
            (std::vector<crds::PodGroupAdmission::Charge>{{"nvidia.com/gpu", 1'000}, {"pods", 1}}));
  EXPECT_EQ(world.QueueStatus("q").admitted_gangs, 1);
  EXPECT_EQ(world.QueueStatus("q").pending_gangs, 0);
  EXPECT_EQ(world.QueueStatus("q").usage_summary, "1/2 nvidia.com/gpu");
  Put(world, "g-1", "g", 1);
  world.Settle();
  EXPECT_EQ(world.NodeOf("g-1"), node);
  EXPECT_EQ(world.GroupStatus("g").summary, "2/2");
  EXPECT_EQ(ScheduledBriefly(world.GroupStatus("g")), "True Bound");
}

// Its Job may have given up: then nobody makes the member again.
TEST(LostMemberView, AMemberThatFailedIsTold) {
  UserWorld world;
  world.Node("n1", 2);
  world.Queue("q", "2");
  world.Group("g", "q", 2);
  world.Members("g", 2, 1);
  world.Settle();
  crds::Pod failed = world.PodNow("g-1");
  failed.phase = "Failed";
  world.Put(std::move(failed));
  for (int i = 0; i < 3; ++i) world.Settle();
  EXPECT_EQ(world.GroupStatus("g").phase, "Running");
  EXPECT_EQ(world.GroupStatus("g").message, "1 of 2 members exist, 1 failed");
}

// volcano-sh/volcano#2208
TEST(LostMemberView, AFinishedGangWhosePodsAreCleanedUpIsNeverChargedNorWaitsAgain) {
  UserWorld world;
  world.Node("n1", 2);
  world.Queue("q", "2");
  world.Group("f", "q", 2);
  world.Members("f", 2, 1);
  world.Settle();
  for (const char* pod : {"f-0", "f-1"}) End(world, pod);
  world.Settle();
  ASSERT_EQ(world.GroupStatus("f").phase, "Succeeded");
  for (const char* pod : {"f-0", "f-1"}) {
    world.PodGoes(pod);
    world.Settle();
    EXPECT_EQ(world.GroupStatus("f").phase, "Succeeded") << pod;
    EXPECT_EQ(world.GroupStatus("f").members.succeeded, 2) << pod;
    EXPECT_EQ(world.GroupStatus("f").admission, std::nullopt) << pod;
    EXPECT_EQ(world.QueueStatus("q").usage_summary, "0/2 nvidia.com/gpu") << pod;
  }
}

// kai-scheduler/KAI-Scheduler#1347
TEST(LostMemberView, ALastWaveSmallerThanTheMinimumRuns) {
  UserWorld world;
  world.Node("n1", 4);
  world.Queue("q", "4");
  world.Group("j", "q", 4);
  world.Members("j", 4, 1);
  world.Settle();
  for (const char* pod : {"j-0", "j-1", "j-2", "j-3"}) End(world, pod);
  Put(world, "j-4", "j", 1);
  world.Settle();
  EXPECT_EQ(world.NodeOf("j-4"), "n1");
  const crds::PodGroupStatus& status = world.GroupStatus("j");
  EXPECT_EQ(status.phase, "Running");
  EXPECT_EQ(status.members,
            (crds::PodGroupMembers{.total = 5, .bound = 1, .running = 1, .succeeded = 4}));
  EXPECT_EQ(status.message, "1 of 5 members bound to 1 node, 4 succeeded");
}

// kubernetes-sigs/kueue#15424, kubernetes-sigs/kueue#2208
TEST(LostMemberView, AReplacementNamesThePodThatHangsInItsEnd) {
  UserWorld world;
  world.Node("n1", 1);
  world.Node("n2", 1);
  world.Queue("q", "3");
  world.Group("g", "q", 2);
  world.Members("g", 2, 1);
  world.Settle();
  crds::Pod dying = world.PodNow("g-1");
  dying.meta.deletion_ms = 1;
  world.Put(dying);
  Put(world, "g-1b", "g", 1);
  world.Settle();
  const std::string text =
      "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. Gang g: 1 of 2 members fit; short 1 "
      "nvidia.com/gpu; held by terminating pod default/g-1 (1).";
  EXPECT_EQ(world.GroupStatus("g").message, text);
  EXPECT_EQ(world.GroupStatus("g").summary, "1/2");
  EXPECT_EQ(world.GroupStatus("g").members.total, 2);
  EXPECT_EQ(world.Waits("g-1b"), "Unschedulable: " + text);
  world.Node("n3", 1);
  world.Settle();
  EXPECT_EQ(world.NodeOf("g-1b"), "n3");
  EXPECT_EQ(world.GroupStatus("g").summary, "2/2");
  EXPECT_EQ(world.GroupStatus("g").message, "2 of 2 members bound to 2 nodes");
  world.PodGoes("g-1");
  world.Settle();
  EXPECT_EQ(world.GroupStatus("g").summary, "2/2");
}

// volcano-sh/volcano#3442
TEST(LostMemberView, PodsOfADeletedPodGroupAreNamedAndToldOnce) {
  UserWorld world;
  world.Node("n1", 2);
  world.Queue("q", "2");
  world.Group("l", "q", 2);
  world.Members("l", 2, 1);
  world.Settle();
  world.GroupGoes("l");
  world.Settle();
  crds::PodGroup high;
  high.meta.name = "h";
  high.queue = "q";
  high.min_member = 2;  // A gang of one is told where most is free, and not who holds the rest.
  high.priority_class_name = "high";
  world.PriorityClass("high", 100);
  world.Put(std::move(high));
  world.Members("h", 2, 1);
  for (int i = 0; i < 3; ++i) world.Settle();
  EXPECT_NE(world.GroupStatus("h").message.find("pods without PodGroup"), std::string::npos)
      << world.GroupStatus("h").message;
  EXPECT_EQ(world.NodeOf("h-0"), "");
  for (const char* pod : {"l-0", "l-1"}) {
    EXPECT_EQ(world.NodeOf(pod), "n1");
    const std::string begin = std::string("Warning PodGroupNotFound Pod/") + pod + " ";
    EXPECT_EQ(
        std::ranges::count_if(world.events(), [&](const auto& e) { return e.starts_with(begin); }),
        1);
  }
}

// kubernetes-sigs/kueue#15026
TEST(LostMemberView, AHugeRequestThatComesAndGoesLeavesNoTrace) {
  UserWorld world;
  world.Node("n1", 100);
  world.Queue("q", "1000");
  world.Group("huge", "q", 1);
  crds::Pod pod = world.NewPod("huge-0", 0);
  pod.meta.labels = {{"muster.dev/pod-group", "huge"}};
  pod.containers[0].requests = {{"nvidia.com/gpu", kAmountMax}};
  world.Put(std::move(pod));
  world.Group("small", "q", 1);
  world.Members("small", 1, 7);
  world.Settle();
  EXPECT_EQ(world.NodeOf("small-0"), "n1");
  EXPECT_EQ(world.NodeOf("huge-0"), "");
  EXPECT_EQ(world.QueueStatus("q").usage_summary, "7/1000 nvidia.com/gpu");
  world.PodGoes("huge-0");
  world.GroupGoes("huge");
  world.Settle();
  EXPECT_EQ(world.NodeOf("small-0"), "n1");
  EXPECT_EQ(world.QueueStatus("q").usage_summary, "7/1000 nvidia.com/gpu");
  world.PodGoes("small-0");
  world.GroupGoes("small");
  world.Settle();
  EXPECT_EQ(world.QueueStatus("q").usage_summary, "0/1000 nvidia.com/gpu");
  EXPECT_EQ(world.QueueStatus("q").pending_gangs, 0);
}

}  // namespace
}  // namespace muster::controllers
