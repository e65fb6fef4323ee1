#include "controllers/translate.h"

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/selectors.h"
#include "scheduler/base/amount.h"

namespace muster::controllers {
namespace {

using scheduler::PodState;
using scheduler::Requirement;

crds::Pod Pod() {
  crds::Pod pod;
  pod.meta.ns = "team";
  pod.meta.name = "train-2";
  pod.meta.uid = "u-2";
  pod.meta.resource_version = "17";
  pod.meta.generation = 3;
  pod.meta.creation_ms = 1'788'220'800'000;
  pod.scheduler_name = "muster";
  pod.phase = "Pending";
  pod.priority = 5;
  crds::Container container;
  container.requests = {{"cpu", 1'000}, {"nvidia.com/gpu", 8'000}};
  pod.containers = {container};
  return pod;
}

TEST(TranslatePod, CarriesWhatSchedulingLooksAt) {
  crds::Pod pod = Pod();
  pod.meta.labels = {{"muster.dev/pod-group", "train"}, {"muster.dev/rank", "2"}};
  pod.meta.annotations = {{"muster.dev/gpu-product", "h100, a100,,a100"},
                          {"muster.dev/gpu-memory-min", "40Gi"},
                          {"muster.dev/driver-version-min", "535.104"},
                          {"muster.dev/rdma", "required"},
                          {"muster.dev/model", "llama-3-70b"},
                          {"muster.dev/model-required", "true"}};
  pod.node_selector = {{"pool", "gpu"}, {"arch", "amd64"}};
  pod.required_affinity = {{.expressions = {{"zone", "In", {"b", "a"}}}, .fields = {}}};
  pod.preferred_affinity = {
      {.weight = 7, .term = {.expressions = {{"disk", "Exists", {}}}, .fields = {}}},
      {.weight = 0, .term = {}}};
  pod.tolerations = {{.key = "gpu", .op = "Exists", .value = "", .effect = "NoSchedule"}};

  scheduler::PodSeen expected;
  expected.uid = "u-2";
  expected.key = {"team", "train-2"};
  expected.gang = {"team", "train"};
  expected.shape.requests = {{"cpu", 1'000}, {"nvidia.com/gpu", 8'000}};
  expected.shape.node_selector = {{"arch", "amd64"}, {"pool", "gpu"}};
  expected.shape.has_required_affinity = true;
  expected.shape.required_affinity = {
      {.labels = {{Requirement::Op::kIn, "zone", {"b", "a"}}}, .fields = {}}};
  expected.shape.preferred_affinity = {
      {.weight = 7, .term = {.labels = {{Requirement::Op::kExists, "disk", {}}}, .fields = {}}}};
  expected.shape.tolerations = {{.key = "gpu", .value = "", .exists = true}};
  expected.shape.gpu_products = {"a100", "h100"};
  expected.shape.gpu_memory_min = 40LL << 30;
  expected.shape.driver_version_min = "535.104";
  expected.shape.rdma = "required";
  expected.shape.model = "llama-3-70b";
  expected.shape.model_required = true;

  const scheduler::PodSeen seen = TranslatePod(pod, "muster");
  EXPECT_EQ(seen.uid, expected.uid);
  EXPECT_EQ(seen.key, expected.key);
  EXPECT_EQ(seen.gang, expected.gang);
  EXPECT_EQ(seen.shape, expected.shape);
  EXPECT_EQ(seen.state, PodState::kPending);
  EXPECT_TRUE(seen.ours);
  EXPECT_FALSE(seen.terminating);
  EXPECT_FALSE(seen.running);
  EXPECT_EQ(seen.priority, 5);
  EXPECT_EQ(seen.rank, 2);
  EXPECT_EQ(seen.created.ms, 1'788'220'800'000);
}

TEST(TranslatePod, AMemoryThatIsNoneIsNotTakenForNone) {
  for (const auto& [text, bytes] : std::map<std::string, std::int64_t>{
           {"80Gi", 80LL << 30}, {"", 0}, {"lots", -1}, {"-1Gi", -1}, {"0", -1}}) {
    crds::Pod pod = Pod();
    pod.meta.annotations = {{"muster.dev/gpu-memory-min", text}};
    EXPECT_EQ(TranslatePod(pod, "muster").shape.gpu_memory_min, bytes) << text;
  }
}

TEST(TranslatePod, AGangByLabelElseItself) {
  crds::Pod pod = Pod();
  EXPECT_EQ(GangOf(pod), (scheduler::Key{"team", "train-2", true}));
  pod.meta.labels = {{"muster.dev/pod-group", ""}, {"muster.dev/queue", "research"}};
  EXPECT_EQ(GangOf(pod), (scheduler::Key{"team", "train-2", true}));
  EXPECT_EQ(TranslatePod(pod, "muster").queue, "research");
  pod.meta.labels["muster.dev/pod-group"] = "train";
  EXPECT_EQ(GangOf(pod), (scheduler::Key{"team", "train", false}));
  EXPECT_EQ(TranslatePod(pod, "muster").gang, (scheduler::Key{"team", "train", false}));
  EXPECT_EQ(TranslatePod(pod, "other").gang, scheduler::Key{});
}

TEST(TranslatePod, ASubGroupByLabel) {
  crds::Pod pod = Pod();
  EXPECT_EQ(TranslatePod(pod, "muster").sub_group, "");
  pod.meta.labels["muster.dev/subgroup"] = "web";
  EXPECT_EQ(TranslatePod(pod, "muster").sub_group, "web");
  EXPECT_EQ(RecordOf(pod, GangOf(pod)).pins.sub_group, "web");
  EXPECT_EQ(TranslatePod(pod, "other").sub_group, "");
}

// The label of a bound pod may be edited, also while nobody watches.
TEST(TranslatePod, ABoundPodStaysInTheSubGroupOfItsBinding) {
  crds::Pod pod = Pod();
  pod.node_name = "node-1";
  pod.meta.labels["muster.dev/subgroup"] = "db";
  EXPECT_EQ(TranslatePod(pod, "muster").sub_group, "db") << "bound by somebody else";
  pod.meta.annotations = {{"muster.dev/journal", "p-03/17"},
                          {"muster.dev/admitted-subgroup", "web"}};
  EXPECT_EQ(TranslatePod(pod, "muster").sub_group, "web");
  EXPECT_EQ(RecordOf(pod, GangOf(pod)).pins.sub_group, "web");
  EXPECT_EQ(LabelledSubGroup(pod), "db");
  pod.meta.annotations.erase("muster.dev/admitted-subgroup");
  EXPECT_EQ(TranslatePod(pod, "muster").sub_group, "");
}

TEST(TranslatePod, ReadsPinsOfItsOwnPodsAlone) {
  crds::Pod pod = Pod();
  pod.node_name = "node-1";
  pod.meta.annotations = {{"muster.dev/admitted-queue", "research"},
                          {"muster.dev/admitted-group-uid", "g-1"},
                          {"muster.dev/journal", "p-03/17"}};
  EXPECT_EQ(TranslatePod(pod, "muster").admitted_queue, "research");
  EXPECT_EQ(TranslatePod(pod, "muster").admitted_group_uid, "g-1");
  EXPECT_EQ(TranslatePod(pod, "muster").bound_by, 17U);
  pod.scheduler_name = "default-scheduler";
  pod.meta.labels = {{"muster.dev/pod-group", "train"}, {"muster.dev/queue", "research"}};
  const scheduler::PodSeen foreign = TranslatePod(pod, "muster");
  EXPECT_FALSE(foreign.ours);
  EXPECT_EQ(foreign.gang, scheduler::Key{});
  EXPECT_EQ(foreign.admitted_queue, "");
  EXPECT_EQ(foreign.admitted_group_uid, "");
  EXPECT_EQ(foreign.bound_by, 0U);
  EXPECT_EQ(foreign.queue, "");
  EXPECT_EQ(foreign.node, "node-1");
}

// As upstream's normalizedImageName.
TEST(TranslatePod, NamesTheImagesOfAllContainersAsNodesDo) {
  crds::Pod pod = Pod();
  pod.containers = {{.name = "c", .image = "train", .requests = {}},
                    {.name = "d", .image = "localhost:5000/a/train", .requests = {}},
                    {.name = "e", .image = "train@sha256:0123", .requests = {}},
                    {.name = "f", .image = "train:1", .requests = {}},
                    {.name = "g", .image = "", .requests = {}}};
  pod.init_containers = {{.name = "a", .image = "train:1", .requests = {}},
                         {.name = "b", .image = "localhost:5000/a/init:v2", .requests = {}}};
  const std::vector<std::string> images = {":latest",
                                           "localhost:5000/a/init:v2",
                                           "localhost:5000/a/train:latest",
                                           "train:1",
                                           "train:1",
                                           "train:latest",
                                           "train@sha256:0123"};
  EXPECT_EQ(TranslatePod(pod, "muster").images, images);
  pod.scheduling_gates = 1;
  EXPECT_EQ(TranslatePod(pod, "muster").images, images);
  // Where a pod is bound, ended or none of ours, nobody asks.
  using Images = std::vector<std::string>;
  EXPECT_EQ(TranslatePod(pod, "another").images, Images());
  pod.phase = "Failed";
  EXPECT_EQ(TranslatePod(pod, "muster").images, Images());
  pod.phase = "Pending";
  pod.node_name = "n";
  EXPECT_EQ(TranslatePod(pod, "muster").images, Images());
}

TEST(TranslatePod, States) {
  struct Case {
    std::string phase, node;
    std::int32_t gates;
    PodState state;
  };
  const std::vector<Case> cases = {
      {"Pending", "", 0, PodState::kPending},
      {"Pending", "", 2, PodState::kGated},
      {"", "", 0, PodState::kPending},
      {"Pending", "n", 0, PodState::kBound},
      {"Running", "n", 0, PodState::kBound},
      {"Unknown", "n", 0, PodState::kBound},
      {"Succeeded", "n", 0, PodState::kSucceeded},
      {"Failed", "n", 0, PodState::kFailed},
      {"Failed", "", 0, PodState::kFailed},
  };
  for (const Case& c : cases) {
    crds::Pod pod = Pod();
    pod.phase = c.phase;
    pod.node_name = c.node;
    pod.scheduling_gates = c.gates;
    EXPECT_EQ(TranslatePod(pod, "muster").state, c.state) << c.phase << " " << c.node;
    EXPECT_EQ(TranslatePod(pod, "muster").running, c.phase == "Running");
  }
}

TEST(TranslatePod, RankByLabelThenJobIndexThenPodIndex) {
  const std::string job = "batch.kubernetes.io/job-completion-index";
  const std::string set = "apps.kubernetes.io/pod-index";
  struct Case {
    crds::StringMap labels, annotations;
    std::int32_t rank;
  };
  const std::vector<Case> cases = {
      {{}, {}, -1},
      {{{"muster.dev/rank", "3"}, {job, "4"}, {set, "5"}}, {}, 3},
      {{{job, "4"}, {set, "5"}}, {{job, "6"}}, 4},
      {{{set, "5"}}, {{job, "6"}}, 6},
      {{{set, "5"}}, {}, 5},
      {{{"muster.dev/rank", "first"}, {set, "5"}}, {}, 5},
      {{{"muster.dev/rank", "-1"}}, {}, -1},
      {{{"muster.dev/rank", "3x"}}, {}, -1},
      {{{"muster.dev/rank", "99999999999"}}, {}, -1},
  };
  for (const Case& c : cases) {
    crds::Pod pod = Pod();
    pod.meta.labels = c.labels;
    pod.meta.annotations = c.annotations;
    EXPECT_EQ(TranslatePod(pod, "muster").rank, c.rank);
  }
}

TEST(TranslatePod, RequestsAreTheEffectiveOnes) {
  crds::Pod pod = Pod();
  crds::Container second = pod.containers[0];
  second.requests = {{"nvidia.com/gpu", 1'000}};
  pod.containers.push_back(second);
  pod.overhead = {{"cpu", 250}};
  EXPECT_EQ(TranslatePod(pod, "muster").shape.requests,
            (scheduler::Amounts{{"cpu", 1'250}, {"nvidia.com/gpu", 9'000}}));
}

TEST(TranslatePod, RecordsWhatWritesNeed) {
  crds::Pod pod = Pod();
  pod.meta.deletion_ms = 1;
  pod.meta.owners = {
      {.api_version = "v1", .kind = "Node", .name = "n", .uid = "o-1"},
      {.api_version = "batch/v1", .kind = "Job", .name = "j", .uid = "o-2", .controller = true}};
  crds::Condition ready;
  ready.type = "Ready";
  crds::Condition scheduled;
  scheduled.type = "PodScheduled";
  scheduled.status = "False";
  pod.conditions = {ready, scheduled};
  const PodRecord record = RecordOf(pod, GangOf(pod));
  EXPECT_EQ(record.key, (scheduler::Key{"team", "train-2"}));
  EXPECT_EQ(record.resource_version, "17");
  EXPECT_EQ(record.generation, 3);
  EXPECT_EQ(record.owner, "o-2");
  EXPECT_TRUE(record.terminating);
  EXPECT_FALSE(record.terminal);
  EXPECT_EQ(record.scheduled, scheduled);
  EXPECT_EQ(TranslatePod(pod, "muster").bound_by, 0U);
}

TEST(TranslateNode, CarriesWhatFiltersAndScoresLookAt) {
  crds::Node node;
  node.meta.name = "node-a";
  node.meta.uid = "n-a";
  node.meta.labels = {{"zone", "z1"}, {"nvidia.com/gpu.product", "A100"}};
  node.meta.annotations = {{"muster.dev/cached-models", "mixtral,llama-3-70b"}};
  node.allocatable = {{"nvidia.com/gpu", 8'000}, {"pods", 110}};
  node.ready = true;
  node.unschedulable = true;
  node.taints = {{"gpu", "yes", "NoSchedule"},
                 {"soft", "", "PreferNoSchedule"},
                 {"hard", "", "NoExecute"},
                 {"new", "", "OfALaterKubernetes"}};
  const scheduler::NodeSeen seen = TranslateNode(node);
  EXPECT_EQ(seen.name, "node-a");
  EXPECT_EQ(seen.uid, "n-a");
  EXPECT_EQ(seen.labels, (scheduler::Labels{{"nvidia.com/gpu.product", "A100"}, {"zone", "z1"}}));
  EXPECT_EQ(seen.allocatable, (scheduler::Amounts{{"nvidia.com/gpu", 8'000}, {"pods", 110}}));
  EXPECT_TRUE(seen.ready);
  EXPECT_TRUE(seen.unschedulable);
  EXPECT_EQ(seen.cached_models, (std::vector<std::string>{"llama-3-70b", "mixtral"}));
  EXPECT_EQ(seen.taints,
            (std::vector<scheduler::Taint>{{"gpu", "yes", scheduler::TaintEffect::kNoSchedule},
                                           {"soft", "", scheduler::TaintEffect::kPreferNoSchedule},
                                           {"hard", "", scheduler::TaintEffect::kNoExecute}}));
}

TEST(TranslateNode, ListsEachNameOfAnImageOnce) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 56U) - 1;
  crds::Node node;
  node.images = {{.names = {"train@sha256:0123", "train:1", "train:1"}, .size_bytes = 7},
                 {.names = {}, .size_bytes = 8},
                 {.names = {"negative:1"}, .size_bytes = -1},
                 {.names = {"unsaid:1"}},
                 {.names = {"huge:1"}, .size_bytes = std::numeric_limits<std::int64_t>::max()},
                 {.names = {"train:1"}, .size_bytes = 9},
                 {.names = {"train:1"}, .size_bytes = 8}};
  EXPECT_EQ(TranslateNode(node).images, (std::vector<scheduler::NodeImage>{{"huge:1", kMost},
                                                                           {"negative:1", 0},
                                                                           {"train:1", 9},
                                                                           {"train@sha256:0123", 7},
                                                                           {"unsaid:1", 0}}));
  node.images.clear();
  for (int i = 0; i < 5'000; ++i) {
    node.images.push_back({.names = {"i" + std::to_string(i)}, .size_bytes = i});
  }
  EXPECT_EQ(TranslateNode(node).images.size(), 5'000U);
}

TEST(Selectors, WhatIsNotKnownNeverMatches) {
  const auto requirements =
      ToRequirements({{"a", "NotIn", {"x"}}, {"b", "Gt", {"3"}}, {"c", "Near", {"z"}}});
  EXPECT_EQ(requirements, (std::vector<Requirement>{{Requirement::Op::kNotIn, "a", {"x"}},
                                                    {Requirement::Op::kGt, "b", {"3"}},
                                                    {Requirement::Op::kIn, "c", {}}}));
  const auto tolerations = ToTolerations({{"a", "", "x", ""},
                                          {"b", "Equal", "y", "NoExecute"},
                                          {"", "Exists", "dropped", ""},
                                          {"c", "Gt", "1", ""},
                                          {"d", "Exists", "", "Later"}});
  ASSERT_EQ(tolerations.size(), 3U);
  EXPECT_TRUE(tolerations[0].any_effect);
  EXPECT_FALSE(tolerations[0].exists);
  EXPECT_EQ(tolerations[0].value, "x");
  EXPECT_EQ(tolerations[1].effect, scheduler::TaintEffect::kNoExecute);
  EXPECT_FALSE(tolerations[1].any_effect);
  EXPECT_TRUE(tolerations[2].exists);
  EXPECT_EQ(tolerations[2].value, "");
}

TEST(TranslatePodGroup, ResolvesItsQueueAndRefusesSystemPriorities) {
  crds::PodGroup group;
  group.meta.ns = "team";
  group.meta.name = "train";
  group.meta.uid = "g-1";
  group.meta.generation = 4;
  group.meta.creation_ms = 77;
  group.min_member = 8;
  group.schedule_timeout_seconds = 90;
  scheduler::GangSeen seen = TranslatePodGroup(group);
  EXPECT_EQ(seen.key, (scheduler::Key{"team", "train"}));
  EXPECT_EQ(seen.queue, "");
  EXPECT_FALSE(seen.queue_named);
  EXPECT_EQ(seen.min_member, 8);
  EXPECT_EQ(seen.timeout_ms, 90'000);
  EXPECT_EQ(seen.created.ms, 77);
  EXPECT_EQ(seen.generation, 4);
  EXPECT_EQ(seen.succeeded, 0);
  EXPECT_EQ(seen.invalid, "");
  EXPECT_TRUE(seen.topology.empty());
  group.queue = "research";
  group.topology = {.required = "block", .preferred = "rack"};
  group.priority_class_name = "system-node-critical";
  group.status.emplace().members.succeeded = 6;
  seen = TranslatePodGroup(group);
  EXPECT_EQ(seen.queue, "research");
  EXPECT_TRUE(seen.queue_named);
  EXPECT_EQ(seen.succeeded, 6);
  EXPECT_EQ(seen.topology, (scheduler::TopologyRequest{.required = "block", .preferred = "rack"}));
  EXPECT_EQ(seen.invalid,
            "spec.priorityClassName: system-node-critical is for system pods; a gang has at most "
            "1000000000");
}

TEST(TranslatePodGroup, TheMinimumIsTheLargerOfMinMemberAndTheSumOverItsSubGroups) {
  crds::PodGroup group;
  group.min_member = 5;
  group.sub_groups = {{.name = "web", .min_member = 2}, {.name = "db", .min_member = 2}};
  const std::vector<scheduler::SubGroup> subs = {{"web", 2}, {"db", 2}};
  EXPECT_EQ(TranslatePodGroup(group).sub_groups, subs);
  EXPECT_EQ(TranslatePodGroup(group).min_member, 5);
  group.min_member = 1;
  EXPECT_EQ(TranslatePodGroup(group).min_member, 4);
}

// What the schema would have refused reaches the core only as numbers that it can count with.
TEST(TranslatePodGroup, SaysWhatIsOutOfBounds) {
  const auto invalid = [](const crds::PodGroup& group) {
    const scheduler::GangSeen seen = TranslatePodGroup(group);
    EXPECT_GE(seen.min_member, 1);
    EXPECT_GE(seen.timeout_ms, 1'000);
    EXPECT_TRUE(seen.sub_groups.empty());
    EXPECT_GE(seen.succeeded, 0);
    return seen.invalid;
  };
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  crds::PodGroup group;
  group.min_member = 0;
  EXPECT_EQ(invalid(group), "spec.minMember: 0 is not between 1 and 100000");
  group.min_member = kMax;
  group.status.emplace().members.succeeded = -1;
  EXPECT_EQ(invalid(group), "spec.minMember: 2147483647 is not between 1 and 100000");
  group.min_member = 1;
  group.sub_groups = {{.name = "a", .min_member = kMax}, {.name = "b", .min_member = kMax}};
  EXPECT_EQ(invalid(group), "spec.subGroups[0].minMember: 2147483647 is not between 1 and 100000");
  group.sub_groups = {{.name = "a", .min_member = 1}, {.name = "a", .min_member = 1}};
  EXPECT_EQ(invalid(group), "spec.subGroups[1].name: a is repeated");
  group.sub_groups = {{.name = "", .min_member = 1}};
  EXPECT_EQ(invalid(group), "spec.subGroups[0].name: missing");
  group.sub_groups.clear();
  for (int i = 0; i < 33; ++i) {
    group.sub_groups.push_back({.name = std::to_string(i), .min_member = 1});
  }
  EXPECT_EQ(invalid(group), "spec.subGroups: more than 32");
  group.sub_groups.clear();
  group.schedule_timeout_seconds = -5;
  EXPECT_EQ(invalid(group), "spec.scheduleTimeoutSeconds: -5 is not between 1 and 86400");
}

TEST(TranslatePodGroup, ReadsFromItsStatusWhetherItRan) {
  crds::PodGroup group;
  EXPECT_FALSE(TranslatePodGroup(group).ran);
  crds::Condition scheduled;
  scheduled.type = "Scheduled";
  scheduled.status = "False";
  group.status.emplace().conditions = {scheduled};
  EXPECT_FALSE(TranslatePodGroup(group).ran);
  group.status->conditions[0].status = "True";
  EXPECT_TRUE(TranslatePodGroup(group).ran);
  group.status->conditions[0].status = "False";  // It has lost a member since.
  group.status->start_ms = 1'000;
  EXPECT_TRUE(TranslatePodGroup(group).ran);
}

crds::QueueResource Quota(std::string name, std::string nominal) {
  crds::QueueResource out;
  out.name = std::move(name);
  out.nominal_quota = std::move(nominal);
  return out;
}

TEST(TranslateQueue, SortsQuotasInInnerUnits) {
  crds::Queue queue;
  queue.meta.name = "research";
  queue.meta.uid = "q-1";
  queue.resources = {Quota("nvidia.com/gpu", "32"), Quota("memory", "1Gi"), Quota("cpu", "500m")};
  queue.resources[0].borrowing_limit = "8";
  queue.stop_policy = "Hold";
  queue.namespace_selector.emplace();
  queue.namespace_selector->match_labels = {{"team", "research"}};
  queue.namespace_selector->match_expressions = {{"env", "NotIn", {"dev"}}};
  const scheduler::QueueSeen seen = TranslateQueue(queue);
  EXPECT_EQ(seen.name, "research");
  EXPECT_EQ(seen.uid, "q-1");
  EXPECT_TRUE(seen.stopped);
  ASSERT_EQ(seen.resources.size(), 3U);
  EXPECT_EQ(seen.resources[0].resource, "cpu");
  EXPECT_EQ(seen.resources[0].nominal, 500);
  EXPECT_FALSE(seen.resources[0].limited);
  EXPECT_EQ(seen.resources[1].nominal, std::int64_t{1} << 30U);
  EXPECT_EQ(seen.resources[2].nominal, 32'000);
  EXPECT_TRUE(seen.resources[2].limited);
  EXPECT_EQ(seen.resources[2].borrowing_limit, 8'000);
  EXPECT_TRUE(seen.has_selector);
  EXPECT_EQ(seen.namespace_selector,
            (std::vector<Requirement>{{Requirement::Op::kIn, "team", {"research"}},
                                      {Requirement::Op::kNotIn, "env", {"dev"}}}));
  EXPECT_EQ(seen.misconfigured, "");
  EXPECT_FALSE(TranslateQueue(crds::Queue{}).has_selector);
}

TEST(TranslateQueue, SaysWhichQuotaCannotBe) {
  crds::Queue queue;
  queue.resources = {Quota("nvidia.com/gpu", "1e30")};
  EXPECT_EQ(TranslateQueue(queue).misconfigured,
            "spec.resources[0].nominalQuota: 1e30 is more than 9223372036854775807");
  queue.resources = {Quota("cpu", "4"), Quota("nvidia.com/gpu", "4")};
  queue.resources[1].borrowing_limit = "1e30";
  EXPECT_EQ(TranslateQueue(queue).misconfigured,
            "spec.resources[1].borrowingLimit: 1e30 is more than 9223372036854775807");
  // The rest of it is there: what runs in the queue stays charged.
  EXPECT_EQ(TranslateQueue(queue).resources.size(), 2U);
}

TEST(TranslateQueue, SaysWhichQuotaCountsAsLess) {
  crds::Queue queue;
  queue.resources = {Quota("cpu", "80Pi"), Quota("memory", "1Pi"), Quota("pods", "9e18")};
  queue.resources[1].borrowing_limit = "64Pi";
  const scheduler::QueueSeen seen = TranslateQueue(queue);
  EXPECT_EQ(seen.misconfigured, "");
  EXPECT_EQ(seen.resources[0].nominal, kAmountMax);
  EXPECT_EQ(
      seen.clipped,
      "spec.resources[0].nominalQuota: 80Pi of cpu is more than 72057594037927935m and counts "
      "as that; spec.resources[1].borrowingLimit: 64Pi of memory is more than "
      "72057594037927935 and counts as that; spec.resources[2].nominalQuota: 9e18 of pods is "
      "more than 72057594037927935 and counts as that");
}

TEST(TranslateQueue, SaysWhySelectorsCannotBeUsed) {
  crds::Queue queue;
  queue.namespace_selector.emplace();
  queue.namespace_selector->match_expressions = {{"team", "Exists", {"research"}}};
  EXPECT_EQ(TranslateQueue(queue).misconfigured,
            "spec.namespaceSelector.matchExpressions[0].values: expected none with operator "
            "Exists");
}

TEST(TranslatePodGroup, SaysWhereItsStatusAdmitsIt) {
  crds::PodGroup group;
  group.queue = "named";
  EXPECT_EQ(TranslatePodGroup(group).admitted_queue, "");
  group.status.emplace();
  group.status->queue = "resolved";
  EXPECT_EQ(TranslatePodGroup(group).admitted_queue, "");
  group.status->admission.emplace();
  group.status->admission->queue = "admitted";
  EXPECT_EQ(TranslatePodGroup(group).admitted_queue, "admitted");
}

TEST(TranslateSmallKinds, CarryTheirNames) {
  crds::Namespace ns;
  ns.meta.name = "team";
  ns.meta.labels = {{"team", "research"}};
  EXPECT_EQ(TranslateNamespace(ns).name, "team");
  EXPECT_EQ(TranslateNamespace(ns).labels, (scheduler::Labels{{"team", "research"}}));
  crds::PriorityClass priority_class;
  priority_class.meta.name = "high";
  priority_class.value = 1'000;
  EXPECT_EQ(TranslatePriorityClass(priority_class).name, "high");
  EXPECT_EQ(TranslatePriorityClass(priority_class).value, 1'000);
}

}  // namespace
}  // namespace muster::controllers
