#include "operator/explain_json.h"

#include <gtest/gtest.h>

namespace muster::app {
namespace {

scheduler::Explanation Waiting() {
  scheduler::Explanation explanation;
  explanation.status.key = {.ns = "default", .name = "train-2"};
  explanation.status.phase = scheduler::Phase::kQueued;
  explanation.status.reason = "Unschedulable";
  explanation.status.message = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.";
  explanation.status.attempts = 2;
  explanation.woken_by = "Node/node-d";
  explanation.queue_position = 1;
  explanation.nodes = {{"node-a", "Insufficient nvidia.com/gpu"}, {"node-b", ""}};
  explanation.scores = {{"node-b", 712, {{"GpuBinPack", 100}, {"ModelLocality", 0}}}};
  explanation.placed = {{"train-2", "node-b"}};
  return explanation;
}

TEST(ExplainJson, HoldsEveryFieldInItsOrder) {
  EXPECT_EQ(
      ExplainJson(Waiting(), 37),
      R"({"gang":"default/train-2","phase":"Queued","reason":"Unschedulable",)"
      R"("message":"0/3 nodes are available: 3 Insufficient nvidia.com/gpu.","attempt":2,)"
      R"("wokenBy":"Node/node-d","decisionMicroseconds":37,"queuePosition":1,)"
      R"("nodes":[{"name":"node-a","reason":"Insufficient nvidia.com/gpu"},)"
      R"({"name":"node-b","reason":""}],)"
      R"("scores":[{"node":"node-b","total":712,"plugins":{"GpuBinPack":100,"ModelLocality":0}}],)"
      R"("placed":[{"pod":"train-2","node":"node-b"}]})");
}

TEST(ExplainJson, EmptyListsAreListsAndTextsAreEscaped) {
  scheduler::Explanation explanation;
  explanation.status.key = {.ns = "a", .name = "b", .single_pod = true};
  explanation.status.message = "say \"no\"\n\xff";
  EXPECT_EQ(ExplainJson(explanation, 0),
            R"({"gang":"a/b","phase":"Pending","reason":"","message":"say \"no\"\n)"
            "\xef\xbf\xbd"
            R"(","attempt":0,"wokenBy":"","decisionMicroseconds":0,"queuePosition":0,)"
            R"("nodes":[],"scores":[],"placed":[]})");
}

}  // namespace
}  // namespace muster::app
