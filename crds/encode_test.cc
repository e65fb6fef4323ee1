#include "crds/encode.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "crds/json_text.h"

namespace muster::crds {
namespace {

constexpr std::int64_t kNoon = 1'788'264'000'250;  // 2026-09-01T12:00:00.250Z

TEST(Encode, BindingCarriesBothPreconditions) {
  EXPECT_EQ(EncodeBinding({.ns = "ml",
                           .pod = "p0",
                           .uid = "u-1",
                           .resource_version = "17",
                           .node = "node-a",
                           .annotations = {{"muster.dev/journal", "p-00/3"}}}),
            R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p0","namespace":"ml",)"
            R"("uid":"u-1","resourceVersion":"17","annotations":{"muster.dev/journal":"p-00/3"}},)"
            R"("target":{"kind":"Node","name":"node-a"}})");
}

TEST(Encode, BindingLeavesOutWhatIsEmpty) {
  EXPECT_EQ(EncodeBinding({.ns = "ml",
                           .pod = "p0",
                           .uid = "",
                           .resource_version = "",
                           .node = "n",
                           .annotations = {}}),
            R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p0","namespace":"ml"},)"
            R"("target":{"kind":"Node","name":"n"}})");
}

TEST(Encode, QuotesWhatJsonWantsQuoted) {
  const auto quoted = [](std::string_view text) {
    std::string out = "[";
    AppendQuoted(out, text);
    return out;
  };
  EXPECT_EQ(quoted(""), R"(["")");
  EXPECT_EQ(quoted(R"(a "b" \c)"), R"(["a \"b\" \\c")");
  EXPECT_EQ(quoted("tab\tend"), R"(["tab\tend")");
  EXPECT_EQ(quoted(std::string_view("nul\0\x7f", 5)), "[\"nul\\u0000\x7f\"");
  EXPECT_EQ(quoted("Gr\xc3\xbc\xc3\x9f"), "[\"Gr\xc3\xbc\xc3\x9f\"");
  EXPECT_EQ(quoted("bad \xff"), "[\"bad \xef\xbf\xbd\"");
}

TEST(Encode, DeleteNamesTheUid) {
  EXPECT_EQ(EncodeDeletePod("u-1"),
            R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u-1"}})");
}

TEST(Encode, PodScheduledFalseIsBoundToTheResourceVersion) {
  ObjectMeta pod;
  pod.uid = "u-1";
  pod.resource_version = "17";
  EXPECT_EQ(EncodePodCondition(PodUnscheduled(pod, "Unschedulable", "0/3 \"nodes\"", kNoon)),
            R"({"metadata":{"uid":"u-1","resourceVersion":"17"},"status":{"conditions":[)"
            R"({"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
            R"("message":"0/3 \"nodes\"","lastProbeTime":null,)"
            R"("lastTransitionTime":"2026-09-01T12:00:00Z"}]}})");
}

TEST(Encode, DisruptionTargetHoldsForAnyResourceVersionOfThePod) {
  ObjectMeta pod;
  pod.uid = "u-1";
  pod.resource_version = "17";
  pod.generation = 2;
  EXPECT_EQ(EncodePodCondition(PodDisrupted(pod, "BindTimeout", "late", kNoon)),
            R"({"metadata":{"uid":"u-1"},"status":{"conditions":[)"
            R"({"type":"DisruptionTarget","status":"True","reason":"BindTimeout",)"
            R"("message":"late","lastProbeTime":null,)"
            R"("lastTransitionTime":"2026-09-01T12:00:00Z","observedGeneration":2}]}})");
}

TEST(Encode, PodGroupStatusReplacesTheWholeOfOneUid) {
  PodGroupStatus status;
  status.phase = "Binding";
  status.queue = "research";
  status.summary = "1/2";
  status.attempts = 1;
  status.members = {.total = 2, .bound = 1};
  status.admission =
      PodGroupAdmission{.queue = "research", .time_ms = kNoon, .charges = {{"cpu", 500}}};
  status.conditions.push_back({.type = "Admitted",
                               .status = "True",
                               .reason = "QuotaReserved",
                               .message = "",
                               .observed_generation = 1,
                               .last_transition_ms = kNoon});
  status.observed_generation = 1;
  EXPECT_EQ(EncodePodGroupStatus("u-9", status),
            R"([{"op":"test","path":"/metadata/uid","value":"u-9"},{"op":"add","path":"/status",)"
            R"("value":{"observedGeneration":1,"phase":"Binding","conditions":[{"type":"Admitted",)"
            R"("status":"True","reason":"QuotaReserved","message":"",)"
            R"("lastTransitionTime":"2026-09-01T12:00:00Z","observedGeneration":1}],)"
            R"("queue":"research","priority":0,"admission":{"queue":"research",)"
            R"("time":"2026-09-01T12:00:00Z","charges":[{"resource":"cpu","amount":500}]},)"
            R"("members":{"total":2,"bound":1,"running":0,"succeeded":0,"failed":0},)"
            R"("summary":"1/2","attempts":1}}])");
}

TEST(Encode, QueueStatus) {
  QueueStatus status;
  status.pending_gangs = 1;
  status.resources.push_back({.name = "nvidia.com/gpu", .nominal = "32", .used = "16"});
  status.usage_summary = "16/32 nvidia.com/gpu";
  status.last_update_ms = kNoon;
  EXPECT_EQ(EncodeQueueStatus("u-9", status),
            R"([{"op":"test","path":"/metadata/uid","value":"u-9"},{"op":"add",)"
            R"("path":"/status","value":{"pendingGangs":1,"admittedGangs":0,)"
            R"("resources":[{"name":"nvidia.com/gpu","nominal":"32","used":"16"}],)"
            R"("usageSummary":"16/32 nvidia.com/gpu",)"
            R"("lastUpdateTime":"2026-09-01T12:00:00Z"}}])");
}

TEST(Encode, JournalPageHoldsItsEntriesAsOneString) {
  JournalEntry entry;
  entry.id = 17;
  entry.ns = "ml";
  entry.group_name = "train";
  entry.group_uid = "g-1";
  entry.queue = "research";
  entry.charges = {{"nvidia.com/gpu", 16'000}};
  entry.min_member = 2;
  entry.sub_groups = {{"web", 1}, {"db", 0}};
  entry.nodes = {
      {.name = "n1", .uid = "nu", .pods = {{"p0", "u0", "5", "web"}, {"p1", "u1", "6"}}}};
  const std::string entries =
      R"({"v":1,"e":[{"id":17,"s":"Bind","why":"","ns":"ml","pg":["train","g-1"],)"
      R"("q":"research","ch":[["nvidia.com/gpu","",16000]],"min":2,)"
      R"("sub":[["web",1],["db",0]],"t":300,)"
      R"("n":[["n1","nu",[["p0","u0","5","web"],["p1","u1","6",""]]]]}]})";
  EXPECT_EQ(EncodeEntries({entry}), entries);
  EXPECT_EQ(EncodeEntries({}), R"({"v":1,"e":[]})");

  BindingJournal page;
  page.meta.name = "p-00";
  page.meta.ns = "muster-system";
  page.holder = "host-1";
  page.sequence = 4;
  EXPECT_EQ(EncodeBindingJournal(page),
            R"({"apiVersion":"muster.dev/v1alpha1","kind":"BindingJournal",)"
            R"("metadata":{"name":"p-00","namespace":"muster-system"},)"
            R"("spec":{"holder":"host-1","sequence":4,"entries":"{\"v\":1,\"e\":[]}"}})");
  page.meta.resource_version = "99";
  EXPECT_NE(EncodeBindingJournal(page).find(R"("resourceVersion":"99")"), std::string::npos);
}

TEST(Encode, EventAndItsSeries) {
  EXPECT_EQ(
      EncodeEvent({.ns = "ml",
                   .name = EventName("train", 0xabc),
                   .regarding = {.api_version = "muster.dev/v1alpha1",
                                 .kind = "PodGroup",
                                 .ns = "ml",
                                 .name = "train",
                                 .uid = "g-1"},
                   .type = "Warning",
                   .reason = "FailedScheduling",
                   .action = "Scheduling",
                   .note = "no room",
                   .instance = "muster-host",
                   .time_ms = kNoon}),
      R"({"apiVersion":"events.k8s.io/v1","kind":"Event",)"
      R"("metadata":{"name":"train.0000000000000abc","namespace":"ml"},)"
      R"("eventTime":"2026-09-01T12:00:00.250000Z","reportingController":"muster",)"
      R"("reportingInstance":"muster-host","action":"Scheduling","reason":"FailedScheduling",)"
      R"("regarding":{"kind":"PodGroup","namespace":"ml","name":"train","uid":"g-1",)"
      R"("apiVersion":"muster.dev/v1alpha1"},"note":"no room","type":"Warning"})");
  EXPECT_EQ(EncodeEventSeries(3, kNoon),
            R"({"series":{"count":3,"lastObservedTime":"2026-09-01T12:00:00.250000Z"}})");
  EXPECT_EQ(EventName(std::string(253, 'a'), 1).size(), 253U);
}

TEST(Encode, NamespaceAndBytesThatAreNoText) {
  EXPECT_EQ(EncodeNamespace("muster-system"),
            R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"muster-system"}})");
  EXPECT_EQ(EncodeDeletePod("u\xff"),
            "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\","
            "\"preconditions\":{\"uid\":\"u\xef\xbf\xbd\"}}");
}

}  // namespace
}  // namespace muster::crds
