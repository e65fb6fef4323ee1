// What a user reads, from the object to the condition, the column and the event: the whole way
// through intake, the core and the status writer.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/conditions.h"
#include "controllers/testing/user_world.h"
#include "scheduler/base/amount.h"

namespace muster::controllers {
namespace {

using testing::UserWorld;

std::string ConditionOf(const std::vector<crds::Condition>& conditions, const std::string& type) {
  const crds::Condition* c = FindCondition(conditions, type);
  return c == nullptr ? "" : c->status + " " + c->reason + ": " + c->message;
}
std::string Admitted(const crds::PodGroupStatus& s) {
  return ConditionOf(s.conditions, "Admitted");
}
std::string Scheduled(const crds::PodGroupStatus& s) {
  return ConditionOf(s.conditions, "Scheduled");
}
std::int64_t CountOf(const std::vector<std::string>& lines, const std::string& line) {
  return std::count(lines.begin(), lines.end(), line);
}

// Two gangs that each need the whole cluster (volcano-sh/volcano#3373).
TEST(UserView, AGangThatRunsAndAGangThatWaits) {
  UserWorld world;
  for (const char* node : {"node-1", "node-2", "node-3", "node-4"}) world.Node(node, 8);
  world.Queue("research", "32");
  world.Group("train-a", "research", 4);
  world.Members("train-a", 4, 8);
  world.Settle();
  world.Group("train-b", "research", 4);
  world.Members("train-b", 4, 8);
  world.Settle();

  const crds::PodGroupStatus& runs = world.GroupStatus("train-a");
  EXPECT_EQ(runs.phase, "Running");
  EXPECT_EQ(runs.reason, "");
  EXPECT_EQ(runs.summary, "4/4");
  EXPECT_EQ(runs.message, "4 of 4 members bound to 4 nodes");
  EXPECT_EQ(Scheduled(runs), "True Bound: 4 of 4 members bound to 4 nodes");
  ASSERT_TRUE(runs.admission.has_value());
  EXPECT_EQ(runs.admission->queue, "research");

  const std::string text =
      "0/4 nodes are available: 4 Insufficient nvidia.com/gpu. Gang train-b: 0 of 4 members fit; "
      "short 32 nvidia.com/gpu; held by default/train-a (32).";
  const crds::PodGroupStatus& waits = world.GroupStatus("train-b");
  EXPECT_EQ(waits.attempts, 1);
  EXPECT_EQ(Admitted(waits), "False NotPlaced: " + text);
  EXPECT_EQ(Scheduled(waits), "False Unschedulable: " + text);
  EXPECT_EQ(waits.members, (crds::PodGroupMembers{.total = 4}));
  EXPECT_EQ(waits.message, text);
  EXPECT_EQ(waits.observed_generation, 1);
  EXPECT_EQ(waits.phase, "Queued");
  EXPECT_EQ(waits.priority, 0);
  EXPECT_EQ(waits.queue, "research");
  EXPECT_EQ(waits.reason, "Unschedulable");
  EXPECT_EQ(waits.summary, "0/4");
  EXPECT_EQ(waits.admission, std::nullopt);
  EXPECT_EQ(waits.start_ms, std::nullopt);

  const crds::QueueStatus& queue = world.QueueStatus("research");
  EXPECT_EQ(queue.usage_summary, "32/32 nvidia.com/gpu");
  EXPECT_EQ(queue.pending_gangs, 1);
  EXPECT_EQ(queue.admitted_gangs, 1);
  EXPECT_EQ(FindCondition(queue.conditions, "Active")->status, "True");

  EXPECT_EQ(CountOf(world.events(),
                    "Normal Scheduled PodGroup/train-a 4 of 4 members bound to 4 "
                    "nodes: node-1, node-2, node-3, node-4"),
            1);
  EXPECT_EQ(CountOf(world.events(), "Warning FailedScheduling PodGroup/train-b " + text), 1);
  for (const char* pod : {"train-b-0", "train-b-1", "train-b-2", "train-b-3"}) {
    EXPECT_EQ(
        CountOf(world.events(), std::string("Warning FailedScheduling Pod/") + pod + " " + text),
        1);
    // It would borrow, so no node that an autoscaler buys would help.
    EXPECT_EQ(world.Waits(pod), "WaitingForQuota: " + text);
  }
  EXPECT_EQ(world.events().size(), 6U);
}

// Nothing happens to the gang that waits, nor to any pod or node: only the name of its holder goes.
TEST(UserView, AHolderWhosePodGroupIsDeletedIsNamedSo) {
  UserWorld world;
  for (const char* node : {"node-1", "node-2"}) world.Node(node, 8);
  world.Queue("research", "16");
  world.Group("train-a", "research", 2);
  world.Members("train-a", 2, 8);
  world.Settle();
  world.Group("train-b", "research", 2);
  world.Members("train-b", 2, 8);
  world.Settle();
  const std::string text =
      "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. Gang train-b: 0 of 2 members fit; "
      "short 16 nvidia.com/gpu; held by ";
  EXPECT_EQ(world.GroupStatus("train-b").message, text + "default/train-a (16).");
  world.GroupGoes("train-a");
  world.Settle();
  const crds::PodGroupStatus& waits = world.GroupStatus("train-b");
  EXPECT_EQ(waits.message, text + "pods without PodGroup (16).");
  EXPECT_EQ(Scheduled(waits), "False Unschedulable: " + waits.message);
  for (int i = 0; i < 6; ++i) world.Settle();  // Numbers alone: once a minute on a pod.
  EXPECT_EQ(world.Waits("train-b-0"), "WaitingForQuota: " + waits.message);
}

// kai-scheduler/KAI-Scheduler#820, kubernetes-sigs/kueue#7929
TEST(UserView, AnUnknownQueueIsNamedEverywhereAndWakesTheGangWhenItIsMade) {
  UserWorld world;
  world.Node("n1", 1);
  world.Queue("research", "1");
  world.Group("t", "reserach", 1);
  world.Members("t", 1, 1);
  world.Settle();
  const std::string text =
      "queue \"reserach\" does not exist; queues this namespace may use: research";
  EXPECT_EQ(Admitted(world.GroupStatus("t")), "False QueueNotFound: " + text);
  EXPECT_EQ(Scheduled(world.GroupStatus("t")), "False NotAdmitted: " + text);
  EXPECT_EQ(world.GroupStatus("t").reason, "QueueNotFound");
  EXPECT_EQ(world.GroupStatus("t").phase, "Queued");
  EXPECT_EQ(world.Waits("t-0"), "QueueNotUsable: " + text);
  EXPECT_EQ(CountOf(world.events(), "Warning FailedScheduling Pod/t-0 " + text), 1);
  world.Queue("reserach", "1");
  world.Settle();
  EXPECT_EQ(world.GroupStatus("t").phase, "Running");
  EXPECT_EQ(world.NodeOf("t-0"), "n1");
}

TEST(UserView, AGangWithoutQueueFallsToDefault) {
  UserWorld world;
  world.Queue("research", "8");
  world.Group("t", "", 1);
  world.Members("t", 1, 1);
  world.Settle();
  EXPECT_EQ(Admitted(world.GroupStatus("t")),
            "False QueueNotFound: queue \"default\" does not exist (spec.queue is unset); queues "
            "this namespace may use: research");
  EXPECT_EQ(world.GroupStatus("t").queue, "default");
}

TEST(UserView, MembersAndGatesThatAreMissing) {
  UserWorld world;
  world.Node("n1", 8);
  world.Queue("research", "8");
  world.Group("train", "research", 4);
  world.Members("train", 3, 1);
  world.Settle();
  EXPECT_EQ(world.GroupStatus("train").phase, "Pending");
  EXPECT_EQ(Admitted(world.GroupStatus("train")), "False NotEnoughMembers: 3 of 4 members exist");
  EXPECT_EQ(world.GroupStatus("train").summary, "0/4");
  EXPECT_EQ(world.Waits("train-0"), "NotEnoughMembers: 3 of 4 members exist");
  crds::Pod gated = world.NewPod("train-3", 1);
  gated.meta.labels = {{"muster.dev/pod-group", "train"}};
  gated.scheduling_gates = 1;
  world.Put(gated);
  world.Settle();
  EXPECT_EQ(Admitted(world.GroupStatus("train")),
            "False NotEnoughMembers: 4 exist, 1 behind a scheduling gate");
  gated.scheduling_gates = 0;
  world.Put(gated);
  world.Settle();
  EXPECT_EQ(world.GroupStatus("train").phase, "Running");
}

// kubernetes-sigs/scheduler-plugins#397
TEST(UserView, PodsBeforeTheirPodGroup) {
  UserWorld world;
  world.Node("n1", 1);
  world.Node("n2", 1);
  world.Queue("q", "2");
  world.Members("train", 2, 1);
  world.Settle();
  const std::string text = "PodGroup \"train\" does not exist in namespace default";
  EXPECT_EQ(world.Waits("train-0"), "PodGroupNotFound: " + text);
  EXPECT_EQ(world.NodeOf("train-0"), "");
  EXPECT_EQ(CountOf(world.events(), "Warning FailedScheduling Pod/train-0 " + text), 1);
  world.Group("train", "q", 2);
  world.Settle();
  EXPECT_EQ(world.GroupStatus("train").summary, "2/2");
  EXPECT_EQ(world.NodeOf("train-0") + world.NodeOf("train-1"), "n1n2");
}

TEST(UserView, MoreThanAnyNodeHas) {
  UserWorld world;
  world.Node("node-a", 8);
  world.Node("node-b", 4);
  world.Queue("research", "32");
  world.Group("wide", "research", 1);
  world.Members("wide", 1, 16);
  world.Settle();
  EXPECT_EQ(Scheduled(world.GroupStatus("wide")),
            "False NeverFits: needs 16 nvidia.com/gpu on one node; the largest node has 8 "
            "(node-a)");
  EXPECT_EQ(world.GroupStatus("wide").reason, "NeverFits");
}

TEST(UserView, ANamespaceThatTheQueueDoesNotAdmit) {
  UserWorld world;
  world.Node("n1", 8);
  crds::Queue queue;
  queue.meta.name = "research";
  queue.namespace_selector.emplace();
  queue.namespace_selector->match_labels = {{"team", "research"}};
  world.Put(queue);
  world.Group("train", "research", 1);
  world.Members("train", 1, 1);
  world.Settle();
  EXPECT_EQ(Admitted(world.GroupStatus("train")),
            "False NamespaceNotAllowed: queue \"research\" admits namespaces with team=research");
  queue.namespace_selector.reset();
  world.Put(queue);
  world.Settle();
  EXPECT_EQ(Admitted(world.GroupStatus("train")),
            "False NamespaceNotAllowed: queue \"research\" admits no namespace: its "
            "namespaceSelector is unset ({} admits all)");
  queue.namespace_selector.emplace();
  world.Put(queue);
  world.Settle();
  EXPECT_EQ(world.GroupStatus("train").phase, "Running");
}

TEST(UserView, AQuotaThatCannotBe) {
  UserWorld world;
  world.Node("n1", 8);
  world.Queue("research", "1e30");
  world.Group("train", "research", 1);
  world.Members("train", 1, 1);
  world.Settle();
  EXPECT_EQ(ConditionOf(world.QueueStatus("research").conditions, "Active"),
            "False Misconfigured: spec.resources[0].nominalQuota: 1e30 is more than "
            "9223372036854775807");
  EXPECT_EQ(world.NodeOf("train-0"), "");
  world.Queue("research", "1");
  world.Settle();
  EXPECT_EQ(ConditionOf(world.QueueStatus("research").conditions, "Active").substr(0, 10),
            "True Ready");
  EXPECT_EQ(world.NodeOf("train-0"), "n1");
}

TEST(UserView, AQuotaThatCountsAsLessIsSaid) {
  UserWorld world;
  world.Node("n1", 1);
  world.Queue("research", "80Pi");
  world.Group("train", "research", 1);
  world.Members("train", 1, 1);
  world.Settle();
  EXPECT_EQ(ConditionOf(world.QueueStatus("research").conditions, "Active"),
            "True Ready: the queue admits gangs; spec.resources[0].nominalQuota: 80Pi of "
            "nvidia.com/gpu is more than 72057594037927935m and counts as that");
  EXPECT_EQ(world.NodeOf("train-0"), "n1");
  world.Queue("research", "1");
  world.Settle();
  EXPECT_EQ(ConditionOf(world.QueueStatus("research").conditions, "Active"),
            "True Ready: the queue admits gangs");
}

TEST(UserView, ARequestThatCountsAsLessIsSaid) {
  UserWorld world;
  world.Node("n1", 1);
  world.Queue("research", "1");
  crds::Pod pod = world.NewPod("lone", 0);
  pod.meta.labels["muster.dev/queue"] = "research";
  pod.containers[0].requests = {{"cpu", kAmountMax}};
  world.Put(pod);
  world.Settle();
  EXPECT_EQ(world.Waits("lone"),
            "Unschedulable: needs at least 72057594037927935m cpu on one node; the largest node "
            "has 64 (n1)");
}

// A class may come after the gang that names it.
TEST(UserView, APriorityClassThatDoesNotExistIsSaidAndItsCreationWakes) {
  UserWorld world;
  world.Node("n1", 8);
  world.Queue("research", "8");
  crds::PodGroup group;
  group.meta.name = "train";
  group.queue = "research";
  group.priority_class_name = "high";
  world.Put(group);
  world.Members("train", 1, 1);
  world.Settle();
  EXPECT_EQ(Admitted(world.GroupStatus("train")),
            "False Invalid: spec.priorityClassName: PriorityClass \"high\" does not exist");
  EXPECT_EQ(world.GroupStatus("train").reason, "Invalid");
  EXPECT_EQ(world.Waits("train-0"),
            "Invalid: spec.priorityClassName: PriorityClass \"high\" does not exist");
  EXPECT_EQ(world.NodeOf("train-0"), "");
  world.PriorityClass("high", 1000);
  world.Settle();
  EXPECT_EQ(world.NodeOf("train-0"), "n1");
  EXPECT_EQ(world.GroupStatus("train").priority, 1000);
  EXPECT_EQ(world.GroupStatus("train").reason, "");
}

TEST(UserView, ASystemPriorityIsRefused) {
  UserWorld world;
  world.Node("n1", 8);
  world.Queue("research", "8");
  crds::PodGroup group;
  group.meta.name = "train";
  group.queue = "research";
  group.priority_class_name = "system-node-critical";
  world.PriorityClass("system-node-critical", 2'000'001'000);
  world.Put(group);
  world.Members("train", 1, 1);
  world.Settle();
  EXPECT_EQ(Admitted(world.GroupStatus("train")),
            "False Invalid: spec.priorityClassName: system-node-critical is for system pods; a "
            "gang has at most 1000000000");
  EXPECT_EQ(world.GroupStatus("train").priority, 1'000'000'000);
  EXPECT_EQ(world.NodeOf("train-0"), "");
}

// volcano-sh/volcano#4505
TEST(UserView, APodWithTwoContainersOfOneGpuEachHasTwo) {
  UserWorld world;
  world.Node("n1", 2);
  world.Queue("q", "2");
  world.Group("m", "q", 1);
  crds::Pod pod = world.NewPod("m-0", 1);
  pod.meta.labels = {{"muster.dev/pod-group", "m"}};
  pod.containers.push_back(pod.containers.front());
  pod.containers.back().name = "second";
  world.Put(pod);
  world.Settle();
  EXPECT_EQ(world.NodeOf("m-0"), "n1");
  EXPECT_EQ(world.QueueStatus("q").usage_summary, "2/2 nvidia.com/gpu");
  // The node is as full as the queue.
  crds::Pod late = world.NewPod("late", 1);
  late.meta.labels["muster.dev/queue"] = "q";
  world.Put(late);
  world.Settle();
  EXPECT_EQ(world.Waits("late"),
            "WaitingForQuota: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu. Needs 1 "
            "nvidia.com/gpu on one node; most free is 0 on n1.");
}

// What a waiting member says is of the member alone (volcano-sh/volcano#4971).
TEST(UserView, ARunningGangWithMembersThatWait) {
  UserWorld world;
  world.Node("n1", 7);
  world.Queue("q", "96");
  world.Group("s", "q", 1);
  world.Members("s", 96, 1);
  world.Settle();
  const crds::PodGroupStatus& status = world.GroupStatus("s");
  EXPECT_EQ(status.phase, "Running");
  EXPECT_EQ(status.reason, "");
  EXPECT_EQ(status.summary, "7/96");
  EXPECT_EQ(status.members.bound, 7);
  EXPECT_EQ(status.members.running, 7);
  EXPECT_EQ(status.message,
            "7 of 96 members bound to 1 node; min 1; 89 beyond it wait: 0/1 nodes are available: "
            "1 Insufficient nvidia.com/gpu.");
  const std::string text = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
  std::vector<std::string> told;
  for (int i = 0; i < 96; ++i) {
    const std::string pod = "s-" + std::to_string(i);
    if (!world.NodeOf(pod).empty()) continue;
    EXPECT_EQ(world.Waits(pod), "Surplus: " + text) << pod;
    told.push_back("Warning FailedScheduling Pod/" + pod + " " + text);
  }
  EXPECT_EQ(told.size(), 89U);
  EXPECT_EQ(world.events().front(),
            "Normal Scheduled PodGroup/s 7 of 96 members bound to 1 node: n1");
  EXPECT_GT(world.events().size(), 1U);
  for (std::size_t i = 1; i < world.events().size(); ++i) {
    EXPECT_EQ(CountOf(told, world.events()[i]), 1) << world.events()[i];
  }
}

// volcano-sh/volcano#4116
TEST(UserView, EveryMemberSaysWhyTheGangWaits) {
  UserWorld world;
  world.Node("n1", 4);
  world.Queue("q", "8");
  crds::PodGroup group;
  group.meta.name = "g";
  group.queue = "q";
  group.min_member = 2;
  group.sub_groups = {{.name = "a", .min_member = 1}, {.name = "b", .min_member = 1}};
  world.Put(std::move(group));
  for (const auto& [name, gpus] : {std::pair("a", 3), std::pair("b", 2)}) {
    crds::Pod pod = world.NewPod(std::string("g-") + name + "-0", gpus);
    pod.meta.labels = {{"muster.dev/pod-group", "g"}, {"muster.dev/subgroup", name}};
    world.Put(std::move(pod));
  }
  world.Settle();
  const std::string text =
      "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. Gang g: 1 of 2 members fit; "
      "sub-group b: 0 of 1; short 2 nvidia.com/gpu.";
  EXPECT_EQ(Scheduled(world.GroupStatus("g")), "False Unschedulable: " + text);
  EXPECT_EQ(world.Waits("g-a-0"),
            "Unschedulable: Fits on 1/1 nodes. Gang g waits for 1 more member; first missing: "
            "g-b-0 (1 Insufficient nvidia.com/gpu).");
  EXPECT_EQ(world.Waits("g-b-0"), "Unschedulable: " + text);
  EXPECT_EQ(world.NodeOf("g-a-0") + world.NodeOf("g-b-0"), "");
}

TEST(UserView, AGangOfOne) {
  UserWorld world;
  world.Node("node-a", 8);
  world.Node("node-b", 4);
  world.Queue("default", "100");
  world.Put(world.NewPod("train-0", 8));
  world.Settle();
  EXPECT_EQ(world.events(),
            std::vector<std::string>{
                "Normal Scheduled Pod/train-0 Successfully assigned default/train-0 to node-a"});
  world.Put(world.NewPod("train-1", 8));
  world.Settle();
  const std::string text =
      "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. Needs 8 nvidia.com/gpu on one "
      "node; most free is 4 on node-b.";
  EXPECT_EQ(world.events().back(), "Warning FailedScheduling Pod/train-1 " + text);
  EXPECT_EQ(world.Waits("train-1"), "Unschedulable: " + text);
}

}  // namespace
}  // namespace muster::controllers
