#include "crds/decode.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "crds/list.h"

namespace muster::crds {
namespace {

// A pod with every field that is read, among fields that are not.
constexpr const char* kPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {
    "name": "train-0", "namespace": "ml", "uid": "u-0", "resourceVersion": "17",
    "generation": 2, "creationTimestamp": "2026-09-01T00:00:00Z",
    "deletionTimestamp": "2026-09-01T00:00:30Z", "deletionGracePeriodSeconds": 30,
    "labels": {"muster.dev/pod-group": "train", "app": "a\"b\u00e9"},
    "annotations": {"muster.dev/model": "llama"},
    "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "train",
                         "uid": "j-1", "controller": true, "blockOwnerDeletion": true}],
    "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {"k:{\"a\":[1,2]}": {}}}}]
  },
  "spec": {
    "schedulerName": "muster", "nodeName": "n1", "priorityClassName": "high", "priority": 7,
    "terminationGracePeriodSeconds": 5,
    "containers": [
      {"name": "main", "image": "x", "ports": [{"containerPort": 80}],
       "resources": {"requests": {"cpu": "1500m", "nvidia.com/gpu": "8"},
                     "limits": {"cpu": "9", "memory": "1Gi", "nvidia.com/gpu": "8"}}},
      {"name": "bare"}],
    "initContainers": [
      {"name": "log", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}},
      {"name": "once", "resources": {}}],
    "overhead": {"cpu": "250m"},
    "resources": {"requests": {"memory": "2Gi"}, "limits": {"cpu": "4"}},
    "nodeSelector": {"zone": "a"},
    "affinity": {"podAffinity": {}, "nodeAffinity": {
      "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 7, "preference":
        {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}],
      "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "gpu", "operator": "In", "values": ["a100", "h100"]}],
         "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n9"]}]},
        {}]}}},
    "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"},
                    {"key": "k", "value": "v", "tolerationSeconds": 300}],
    "schedulingGates": [{"name": "a"}, {"name": "b"}]
  },
  "status": {
    "phase": "Running", "qosClass": "Burstable",
    "conditions": [
      {"type": "PodScheduled", "status": "True", "lastProbeTime": null,
       "lastTransitionTime": "2026-09-01T00:00:01Z"},
      {"type": "PodResizePending", "status": "True", "reason": "Infeasible", "message": "m",
       "observedGeneration": 2, "lastTransitionTime": null}],
    "containerStatuses": [
      {"name": "main", "ready": true, "allocatedResources": {"cpu": "1"},
       "resources": {"requests": {"cpu": "2"}}},
      {"name": "bare", "ready": true}],
    "initContainerStatuses": [{"name": "log", "resources": {"limits": {"cpu": "3"}}}],
    "allocatedResources": {"memory": "3Gi"}, "resources": {"requests": {"memory": "1"}}
  }
})";

Pod ExpectedPod() {
  Pod pod;
  pod.meta = {.name = "train-0",
              .ns = "ml",
              .uid = "u-0",
              .resource_version = "17",
              .generation = 2,
              .creation_ms = 1'788'220'800'000,
              .deletion_ms = 1'788'220'830'000,
              .labels = {{"muster.dev/pod-group", "train"}, {"app", "a\"b\xc3\xa9"}},
              .annotations = {{"muster.dev/model", "llama"}},
              .owners = {{"batch/v1", "Job", "train", "j-1", true}}};
  pod.scheduler_name = "muster";
  pod.node_name = "n1";
  pod.priority_class_name = "high";
  pod.priority = 7;
  pod.grace_seconds = 5;
  pod.containers = {
      {.name = "main",
       .image = "x",
       .requests = {{"cpu", 1500}, {"memory", 1'073'741'824}, {"nvidia.com/gpu", 8000}}},
      {.name = "bare", .requests = {}}};
  pod.init_containers = {{.name = "log", .requests = {{"cpu", 1000}}, .restart_always = true},
                         {.name = "once", .requests = {}}};
  pod.overhead = {{"cpu", 250}};
  pod.pod_requests = ResourceList{{"cpu", 4000}, {"memory", 2'147'483'648}};
  pod.node_selector = {{"zone", "a"}};
  pod.required_affinity =
      std::vector<NodeSelectorTerm>{{.expressions = {{"gpu", "In", {"a100", "h100"}}},
                                     .fields = {{"metadata.name", "NotIn", {"n9"}}}},
                                    {}};
  pod.preferred_affinity = {
      {.weight = 7, .term = {.expressions = {{"disk", "Exists", {}}}, .fields = {}}}};
  pod.tolerations = {{"gpu", "Exists", "", "NoSchedule"}, {"k", "", "v", ""}};
  pod.scheduling_gates = 2;
  pod.phase = "Running";
  pod.conditions = {{.type = "PodScheduled",
                     .status = "True",
                     .reason = "",
                     .message = "",
                     .last_transition_ms = 1'788'220'801'000},
                    {.type = "PodResizePending",
                     .status = "True",
                     .reason = "Infeasible",
                     .message = "m",
                     .observed_generation = 2}};
  pod.container_statuses = {
      {.name = "main", .allocated = {{"cpu", 1000}}, .actual = {{"cpu", 2000}}},
      {.name = "log", .allocated = {}, .actual = {{"cpu", 3000}}}};
  pod.pod_allocated = {{"memory", 3'221'225'472}};
  pod.pod_actual = {{"memory", 1}};
  pod.resize_infeasible = true;
  return pod;
}

constexpr const char* kNode = R"({"metadata": {"name": "n1", "uid": "nu",
  "labels": {"gpu": "a100"}}, "spec": {"podCIDR": "10.0.0.0/24", "unschedulable": true,
  "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]},
  "status": {"capacity": {"cpu": "65"}, "allocatable": {"cpu": "64", "memory": "512Gi",
  "nvidia.com/gpu": "8", "pods": "110"}, "conditions": [{"type": "MemoryPressure",
  "status": "False"}, {"type": "Ready", "status": "True"}], "images": [
  {"names": ["r/train@sha256:01", "r/train:1"], "sizeBytes": 4000000000}, {"names": null}, {}]}})";

constexpr const char* kPodGroup = R"({"metadata": {"name": "train"},
  "spec": {"queue": "research", "minMember": 4, "priorityClassName": "high",
           "subGroups": [{"name": "web", "minMember": 2}, {"name": "db"}],
           "topology": {"required": "block", "preferred": "rack"},
           "scheduleTimeoutSeconds": 60},
  "status": {"observedGeneration": 3, "phase": "Running", "reason": "R", "message": "m",
    "conditions": [{"type": "Admitted", "status": "True", "reason": "QuotaReserved",
      "message": "", "observedGeneration": 3, "lastTransitionTime": "1970-01-01T00:00:01Z"}],
    "queue": "research", "priority": 5, "admission": {"queue": "research",
      "time": "1970-01-01T00:00:02Z", "charges": [{"resource": "cpu", "amount": 500}]},
    "members": {"total": 5, "bound": 4, "running": 3, "succeeded": 2, "failed": 1},
    "summary": "4/5", "startTime": "1970-01-01T00:00:03Z",
    "completionTime": "1970-01-01T00:00:04Z", "attempts": 9}})";

constexpr const char* kQueue = R"({"metadata": {"name": "research"},
  "spec": {"resources": [{"name": "nvidia.com/gpu", "nominalQuota": 32,
      "borrowingLimit": "8"}, {"name": "cpu"}],
    "namespaceSelector": {"matchLabels": {"team": "a"},
      "matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["dev"]}]},
    "stopPolicy": "Hold"},
  "status": {"conditions": [{"type": "Active", "status": "False"}], "pendingGangs": 1,
    "admittedGangs": 2, "resources": [{"name": "nvidia.com/gpu", "nominal": "32", "used": 16}],
    "usageSummary": "16/32 nvidia.com/gpu", "observedGeneration": 4,
    "lastUpdateTime": "1970-01-01T00:00:05Z"}})";

std::string Page(const std::string& entries) {
  return R"({"metadata":{"name":"p-00","resourceVersion":"9"},"spec":{"holder":"h","sequence":4,)"
         R"("entries":)" +
         entries + "}}";
}

TEST(Decode, EveryFieldOfAPod) {
  const Result<Pod> pod = DecodePod(kPod);
  ASSERT_TRUE(pod.ok()) << pod.error().message;
  EXPECT_EQ(pod.value(), ExpectedPod());
}

TEST(Decode, AnEmptyObjectHasTheDefaults) {
  EXPECT_EQ(DecodePod("{}").value(), Pod{});
  EXPECT_EQ(DecodePodGroup(R"({"spec":{},"status":null})").value(), PodGroup{});
  EXPECT_EQ(DecodePodGroup(R"({"spec":{"minMember":null,"queue":null}})").value(), PodGroup{});
  EXPECT_EQ(DecodeQueue("{}").value(), Queue{});
  EXPECT_EQ(DecodeNode("{}").value(), Node{});
}

TEST(Decode, RequiredAffinityWithoutTermsIsNotTheSameAsNone) {
  const Pod pod = DecodePod(R"({"spec":{"affinity":{"nodeAffinity":
      {"requiredDuringSchedulingIgnoredDuringExecution":{}}}}})")
                      .value();
  ASSERT_TRUE(pod.required_affinity.has_value());
  EXPECT_TRUE(pod.required_affinity->empty());
}

TEST(Decode, Node) {
  const muster::crds::Node node = DecodeNode(kNode).value();
  EXPECT_EQ(node.meta.labels.at("gpu"), "a100");
  EXPECT_TRUE(node.unschedulable);
  EXPECT_EQ(node.taints, (std::vector<Taint>{{"gpu", "yes", "NoSchedule"}}));
  EXPECT_EQ(
      node.allocatable,
      (ResourceList{
          {"cpu", 64'000}, {"memory", 549'755'813'888}, {"nvidia.com/gpu", 8000}, {"pods", 110}}));
  EXPECT_TRUE(node.ready);
  EXPECT_EQ(
      node.images,
      (std::vector<NodeImage>{
          {.names = {"r/train@sha256:01", "r/train:1"}, .size_bytes = 4'000'000'000}, {}, {}}));
}

TEST(Decode, ImagesOfANodeAsNoServerSendsThem) {
  const auto decode = [](const std::string& images) {
    return DecodeNode(R"({"status":{"images":)" + images + "}}");
  };
  EXPECT_EQ(decode(R"([{"names":["a"],"sizeBytes":-1}])").value().images[0].size_bytes, -1);
  const struct {
    const char* images;
    const char* text;
  } cases[] = {
      {R"({})", "status.images: expected an array"},
      {R"(["a"])", "status.images[0]: expected an object"},
      {R"([{},{"names":"a"}])", "status.images[1].names: expected an array"},
      {R"([{"names":["a",7]}])", "status.images[0].names[1]: expected a string"},
      {R"([{"sizeBytes":"7"}])", "status.images[0].sizeBytes: expected an integer"},
      {R"([{"sizeBytes":0.5}])", "status.images[0].sizeBytes: expected an integer"},
      {R"([{"sizeBytes":9223372036854775808}])", "status.images[0].sizeBytes: expected an integer"},
  };
  for (const auto& c : cases) EXPECT_EQ(decode(c.images).error().message, c.text) << c.images;
}

TEST(Decode, PodGroup) {
  const PodGroup group = DecodePodGroup(kPodGroup).value();
  EXPECT_EQ(group.queue, "research");
  EXPECT_EQ(group.min_member, 4);
  EXPECT_EQ(group.sub_groups,
            (std::vector<PodGroup::SubGroup>{{.name = "web", .min_member = 2}, {.name = "db"}}));
  EXPECT_EQ(group.topology, (PodGroup::Topology{.required = "block", .preferred = "rack"}));
  EXPECT_EQ(group.priority_class_name, "high");
  EXPECT_EQ(group.schedule_timeout_seconds, 60);
  const PodGroupStatus status{
      .phase = "Running",
      .reason = "R",
      .message = "m",
      .queue = "research",
      .summary = "4/5",
      .priority = 5,
      .attempts = 9,
      .admission = PodGroupAdmission{.queue = "research",
                                     .time_ms = 2000,
                                     .charges = {{.resource = "cpu", .amount = 500}}},
      .members = {.total = 5, .bound = 4, .running = 3, .succeeded = 2, .failed = 1},
      .start_ms = 3000,
      .completion_ms = 4000,
      .conditions = {{"Admitted", "True", "QuotaReserved", "", 3, 1000}},
      .observed_generation = 3};
  EXPECT_EQ(group.status, status);
}

TEST(Decode, Queue) {
  const muster::crds::Queue queue = DecodeQueue(kQueue).value();
  EXPECT_EQ(queue.resources,
            (std::vector<QueueResource>{{"nvidia.com/gpu", "32", "8"}, {"cpu", "0", {}}}));
  const LabelSelector selector{.match_labels = {{"team", "a"}},
                               .match_expressions = {{"env", "NotIn", {"dev"}}}};
  EXPECT_EQ(queue.namespace_selector, selector);
  EXPECT_EQ(queue.stop_policy, "Hold");
  const QueueStatus status{
      .conditions = {{.type = "Active", .status = "False", .reason = "", .message = ""}},
      .pending_gangs = 1,
      .admitted_gangs = 2,
      .resources = {{"nvidia.com/gpu", "32", "16"}},
      .usage_summary = "16/32 nvidia.com/gpu",
      .observed_generation = 4,
      .last_update_ms = 5000};
  EXPECT_EQ(queue.status, status);
}

TEST(Decode, SmallKinds) {
  EXPECT_EQ(DecodeNamespace(R"({"metadata":{"name":"ml","labels":{"a":"b"}}})").value().meta.labels,
            (StringMap{{"a", "b"}}));
  EXPECT_EQ(DecodePriorityClass(R"({"metadata":{"name":"high"},"value":-5})").value().value, -5);
  EXPECT_EQ(DecodeMeta(R"({"kind":"Pod","metadata":{"resourceVersion":"7","labels":null}})")
                .value()
                .resource_version,
            "7");
}

TEST(Decode, StatusOfARefusal) {
  const ApiStatus status =
      DecodeStatus(
          R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m",)"
          R"("reason":"Forbidden","details":{"name":"p","kind":"pods","uid":"u",)"
          R"("causes":[{"reason":"NamespaceTerminating","message":"gone","field":"f"}],)"
          R"("retryAfterSeconds":2},"code":403})")
          .value();
  EXPECT_EQ(status, (ApiStatus{.status = "Failure",
                               .code = 403,
                               .reason = "Forbidden",
                               .message = "m",
                               .kind = "pods",
                               .name = "p",
                               .uid = "u",
                               .retry_after_seconds = 2,
                               .causes = {{"NamespaceTerminating", "gone", "f"}}}));
  EXPECT_TRUE(status.HasCause("NamespaceTerminating"));
  EXPECT_FALSE(status.HasCause("FieldValueInvalid"));
  EXPECT_FALSE(DecodeStatus("404 page not found").ok());
  EXPECT_EQ(DecodeStatus(R"({"kind":"Pod"})").error().message, "kind: expected \"Status\"");
}

TEST(Decode, ErrorsNameTheField) {
  const struct {
    const char* json;
    const char* text;
  } cases[] = {
      {R"({"spec":{"minMember":"4"}})", "spec.minMember: expected an integer"},
      {R"({"spec":{"minMember":4.5}})", "spec.minMember: expected an integer"},
      {R"({"spec":{"minMember":4294967296}})", "spec.minMember: expected an integer of 32 bits"},
      {R"({"spec":[]})", "spec: expected an object"},
      {R"({"spec":{"queue":7}})", "spec.queue: expected a string"},
      {R"({"metadata":{"labels":{"a/b":1}}})", "metadata.labels[a/b]: expected a string"},
      {R"({"metadata":{"creationTimestamp":"soon"}})",
       "metadata.creationTimestamp: expected a time (RFC 3339)"},
      {R"({"metadata":{"ownerReferences":[{},{"controller":"yes"}]}})",
       "metadata.ownerReferences[1].controller: expected true or false"},
      {R"({"status":{"conditions":{}}})", "status.conditions: expected an array"},
      {R"({"status":{"admission":{"charges":[{"amount":"x"}]}}})",
       "status.admission.charges[0].amount: expected an integer"},
      {R"([])", "expected an object"},
      {R"("text")", "expected an object"},
      {R"(404 page not found)", "expected an object"},
      {R"()", "not valid JSON"},
      {R"({"spec":{}} {})", "not valid JSON"},
      {R"({"spec" {}})", "not valid JSON"},
      {"{\"spec\":{\"queue\":\"\xff\"}}", "not valid JSON"},
  };
  for (const auto& c : cases) {
    const Result<PodGroup> group = DecodePodGroup(c.json);
    ASSERT_FALSE(group.ok()) << c.json;
    EXPECT_EQ(group.error().message, c.text) << c.json;
  }
  EXPECT_EQ(DecodePod(R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"fast"}}}]}})")
                .error()
                .message,
            "spec.containers[0].resources.requests[cpu]: expected a quantity");
  EXPECT_EQ(DecodeQueue(R"({"spec":{"resources":[{"nominalQuota":true}]}})").error().message,
            "spec.resources[0].nominalQuota: expected a string");
}

TEST(Decode, JournalPage) {
  const BindingJournal page =
      DecodeBindingJournal(Page(R"("{\"v\":1,\"e\":[{\"id\":17,\"s\":\"Abandon\",\"why\":\"late\",)"
                                R"(\"ns\":\"ml\",\"pg\":[\"train\",\"g\"],\"q\":\"research\",)"
                                R"(\"ch\":[[\"cpu\",\"\",500]],\"min\":2,)"
                                R"(\"sub\":[[\"web\",1]],\"t\":60,\"n\":[[\"n1\",\"nu\",)"
                                R"([[\"p0\",\"u0\",\"5\",\"web\"]]]]}]}")"))
          .value();
  EXPECT_EQ(page.meta.name, "p-00");
  EXPECT_EQ(page.holder, "h");
  EXPECT_EQ(page.sequence, 4);
  EXPECT_EQ(page.entries,
            (std::vector<JournalEntry>{
                {.id = 17,
                 .abandon = true,
                 .why = "late",
                 .ns = "ml",
                 .group_name = "train",
                 .group_uid = "g",
                 .queue = "research",
                 .charges = {{"cpu", 500}},
                 .min_member = 2,
                 .sub_groups = {{"web", 1}},
                 .timeout_seconds = 60,
                 .nodes = {{.name = "n1", .uid = "nu", .pods = {{"p0", "u0", "5", "web"}}}}}}));
}

TEST(Decode, PartOfAnEntry) {
  const auto entries = DecodeEntries(
      R"({"v":1,"e":[{"id":1,"s":"Bind","why":"","ns":"ml","pg":["a","b"],"q":"","ch":[],"min":0,"sub":[],)"
      R"("part":[2,3],"t":1,"n":[]}]})");
  ASSERT_TRUE(entries.ok());
  EXPECT_EQ(entries.value()[0].part, 2);
  EXPECT_EQ(entries.value()[0].parts, 3);
}

TEST(Decode, AJournalThatIsNotWholeIsRefused) {
  const std::string entry =
      R"({"id":1,"s":"Bind","why":"","ns":"ml","pg":["",""],"q":"","ch":[],"min":0,"sub":[],"t":1,)"
      R"("n":[]})";
  ASSERT_TRUE(DecodeEntries(R"({"v":1,"e":[)" + entry + "]}").ok());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = entry;
    changed.replace(changed.find(from), from.size(), to);
    return R"({"v":1,"e":[)" + changed + "]}";
  };
  const struct {
    std::string json;
    const char* text;
  } cases[] = {
      {R"({"v":2,"e":[]})", "v: expected version 1"},
      {R"({"e":[]})", "v: missing"},
      {R"({"v":1})", "e: missing"},
      {R"({"v":1,"e":null})", "e: expected an array"},
      {R"({"v":1,"e":[],"f":0})", "f: unknown field"},
      {"", "not valid JSON"},
      {with(R"("ns":"ml",)", ""), "e[0].ns: missing"},
      {with(R"("q":"",)", R"("q":"","x":[],)"), "e[0].x: unknown field"},
      {with("Bind", "Claim"), "e[0].s: expected Bind or Abandon"},
      {with(R"(["",""])", R"([""])"), "e[0].pg: expected 2 elements"},
      {with(R"("ch":[])", R"("ch":[["cpu","",-1]])"), "e[0].ch[0][2]: expected 0 or more"},
      {with(R"("ch":[])", R"("ch":[["cpu","a100",1]])"), "e[0].ch[0][1]: expected no flavor"},
      {with(R"("sub":[],)", ""), "e[0].sub: missing"},
      {with(R"("sub":[])", R"("sub":[["",1]])"), "e[0].sub[0][0]: expected a name"},
      {with(R"("sub":[])", R"("sub":[["web",-1]])"), "e[0].sub[0][1]: expected 0 or more"},
      {with(R"("sub":[])", R"("sub":[["web"]])"), "e[0].sub[0]: expected 2 elements"},
      {with(R"("n":[])", R"("n":[["n1","nu",[["p0","u0","5"]]]])"),
       "e[0].n[0][2][0]: expected 4 elements"},
      {with(R"("n":[])", R"("n":[["n1","nu",[["p0","u0","5","",""]]]])"),
       "e[0].n[0][2][0][4]: one element too many"},
      {with(R"("n":[])", R"("n":[["n1","nu",[["p0","","5",""]]]])"),
       "e[0].n[0][2][0][1]: expected a name"},
      {with(R"("id":1)", R"("id":-1)"), "e[0].id: expected an integer, 0 or more"},
      {with(R"("min":0)", R"("min":0,"part":[3,2])"), "e[0].part: expected a part of the whole"},
      {with(R"("min":0)", R"("min":0,"part":[0,2])"), "e[0].part: expected a part of the whole"},
      {with(R"("min":0)", R"("min":0,"part":[1])"), "e[0].part: expected 2 elements"},
  };
  for (const auto& c : cases) {
    const auto entries = DecodeEntries(c.json);
    ASSERT_FALSE(entries.ok()) << c.json;
    EXPECT_EQ(entries.error().message, c.text) << c.json;
  }
  EXPECT_EQ(DecodeBindingJournal(Page(R"("{\"v\":2,\"e\":[]}")")).error().message,
            "spec.entries: v: expected version 1");
  EXPECT_EQ(DecodeBindingJournal(Page(R"("")")).error().message, "spec.entries: not valid JSON");
}

template <class T, class Decode>
void ExpectPrefixesAreRefused(const std::string& json, Decode decode) {
  ASSERT_TRUE(decode(json).ok());
  for (std::size_t size = 0; size < json.size(); ++size) {
    const Result<T> part = decode(std::string_view(json).substr(0, size));
    EXPECT_FALSE(part.ok()) << json.substr(0, size);
  }
}

TEST(Decode, NoPrefixPassesForTheWhole) {
  ExpectPrefixesAreRefused<Pod>(kPod, DecodePod);
  ExpectPrefixesAreRefused<muster::crds::Node>(kNode, DecodeNode);
  ExpectPrefixesAreRefused<PodGroup>(kPodGroup, DecodePodGroup);
  ExpectPrefixesAreRefused<muster::crds::Queue>(kQueue, DecodeQueue);
  ExpectPrefixesAreRefused<BindingJournal>(Page(R"("{\"v\":1,\"e\":[]}")"), DecodeBindingJournal);
}

TEST(List, ItemsAreViewsIntoTheBody) {
  const std::string body = R"({"kind":"PodList","metadata":{"resourceVersion":"99",
    "continue":"tok","remainingItemCount":3},"items":[{"a":[1,{"b":"]}"}]} , {},
    {"metadata":{"name":"x"}}
  ]})";
  const ListPage page = SplitList(body).value();
  EXPECT_EQ(page.resource_version, "99");
  EXPECT_EQ(page.continue_token, "tok");
  EXPECT_EQ(page.items, (std::vector<std::string_view>{R"({"a":[1,{"b":"]}"}]})", "{}",
                                                       R"({"metadata":{"name":"x"}})"}));
  EXPECT_GE(page.items[0].data(), body.data());
  EXPECT_LT(page.items[0].data(), body.data() + body.size());
  ExpectPrefixesAreRefused<ListPage>(body, SplitList);
}

TEST(List, WhatIsNoListIsNotAnEmptyOne) {
  EXPECT_TRUE(
      SplitList(R"({"metadata":{"resourceVersion":"9"},"items":null})").value().items.empty());
  for (const char* body :
       {"", "404 page not found", "{}", R"({"kind":"Status","metadata":{},"status":"Failure"})",
        R"({"metadata":{"resourceVersion":"9"},"items":{}})",
        R"({"metadata":{"resourceVersion":"9"},"items":["x"]})"}) {
    EXPECT_FALSE(SplitList(body).ok()) << body;
  }
}

TEST(List, WatchFrames) {
  const std::string line = R"({"type":"ADDED","object":{"metadata":{"name":"x"}}})";
  const WatchFrame frame = SplitFrame(line).value();
  EXPECT_EQ(frame.type, "ADDED");
  EXPECT_EQ(frame.object, R"({"metadata":{"name":"x"}})");
  EXPECT_EQ(SplitFrame(R"({"object":{"a":1},"type":"BOOKMARK"})").value().object, R"({"a":1})");
  ExpectPrefixesAreRefused<WatchFrame>(line, SplitFrame);
  EXPECT_EQ(SplitFrame("{}").error().message, "type: missing");
  EXPECT_EQ(SplitFrame(R"({"type":"ADDED"})").error().message, "object: missing");
}

}  // namespace
}  // namespace muster::crds
