#include "controllers/pod_condition_writer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/testing/status_world.h"

namespace muster::controllers {
namespace {

using scheduler::GangStatus;
using testing::RunningGang;
using testing::StatusWorld;
using testing::WaitingGang;

// The watch shows the pod with the condition that the last PATCH set.
void EchoPod(StatusWorld& world, const std::string& name, const std::string& reason,
             const std::string& message, const std::string& version) {
  PodRecord pod = *world.stores.pod({"default", name});
  pod.resource_version = version;
  pod.scheduled.type = "PodScheduled";
  pod.scheduled.status = "False";
  pod.scheduled.reason = reason;
  pod.scheduled.message = message;
  pod.scheduled.last_transition_ms = 1'788'220'700'000;
  world.stores.Put(std::move(pod));
}

TEST(PodConditions, OnePatchForEachWaitingPodAfterTheGrace) {
  StatusWorld world;
  world.SetAndDecide(WaitingGang("train-b"));
  world.loop.Advance(2'999);  // Quiet for 1 s, then 2 s of grace from the first sight.
  EXPECT_TRUE(world.Take("pods").empty());
  world.loop.Advance(200);
  const auto sent = world.Take("pods");
  ASSERT_EQ(sent.size(), 4U);
  EXPECT_EQ(sent[2].verb, ports::Verb::kPatch);
  EXPECT_EQ(sent[2].ns, "default");
  EXPECT_EQ(sent[2].name, "train-b-2");
  EXPECT_EQ(sent[2].subresource, "status");
  EXPECT_EQ(sent[2].content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(sent[2].lane, ports::Lane::kStatus);
  EXPECT_EQ(sent[2].body,
            std::string(R"({"metadata":{"uid":"u-train-b-2","resourceVersion":"7"},)") +
                R"("status":{"conditions":[{"type":"PodScheduled","status":"False",)" +
                R"("reason":"Unschedulable","message":")" + testing::kNoRoom +
                R"(","lastProbeTime":null,"lastTransitionTime":"2026-09-01T00:00:03Z"}]}})");
  world.Decide({{"default", "train-b"}});
  world.loop.Advance(600'000);
  EXPECT_TRUE(world.Take("pods").empty());
}

TEST(PodConditions, TheGraceIsAsLongAsItIsSaid) {
  StatusWorld world(5'000);
  world.SetAndDecide(WaitingGang("train-b"));
  world.loop.Advance(5'999);
  EXPECT_TRUE(world.Take("pods").empty());
  world.loop.Advance(200);
  EXPECT_EQ(world.Take("pods").size(), 4U);
  StatusWorld at_once(0);
  at_once.SetAndDecide(WaitingGang("train-b"));
  at_once.loop.Advance(1'100);
  EXPECT_EQ(at_once.Take("pods").size(), 4U);
}

TEST(PodConditions, EachKindOfReasonReachesItsPod) {
  StatusWorld world;
  GangStatus gang = WaitingGang("s", 6);
  const std::vector<std::pair<std::string, std::string>> told = {
      {"Surplus", "0/1 nodes are available: 1 Insufficient cpu."},
      {"WaitingForQuota", "Queue q: uses 8 of 8 nominal; the gang needs 8 more."},
      {"QueueNotUsable", "queue \"reserach\" does not exist; queues this namespace may use: q"},
      {"PodGroupNotFound", "PodGroup \"s\" does not exist in namespace default"},
      {"NotEnoughMembers", "3 of 4 members exist"},
      {"BindFailed", "s-5: 403 forbidden"}};
  for (std::size_t i = 0; i < told.size(); ++i) {
    gang.members[i].reason = told[i].first;
    gang.members[i].message = told[i].second;
  }
  world.SetAndDecide(gang);
  world.stores.EraseGroup(gang.key);  // A pod is told also when there is no PodGroup.
  world.loop.Advance(4'000);
  const auto sent = world.Take("pods");
  ASSERT_EQ(sent.size(), told.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_NE(sent[i].body.find(R"("reason":")" + told[i].first + '"'), std::string::npos);
  }
}

TEST(PodConditions, AChangeOfReasonGoesOutAtOnceAndNumbersOnceAMinute) {
  StatusWorld world;
  GangStatus gang = WaitingGang("train-b", 1);
  world.SetAndDecide(gang);
  world.loop.Advance(4'000);
  EXPECT_EQ(world.Take("pods").size(), 1U);
  EchoPod(world, "train-b-0", "Unschedulable", testing::kNoRoom, "8");
  gang.members[0].message = "0/5 nodes are available: 5 Insufficient nvidia.com/gpu.";
  world.SetAndDecide(gang);
  world.loop.Advance(58'000);
  EXPECT_TRUE(world.Take("pods").empty());
  world.loop.Advance(2'000);
  auto sent = world.Take("pods");
  ASSERT_EQ(sent.size(), 1U);
  // The condition was False before: its transition time stays.
  EXPECT_NE(sent[0].body.find(R"("lastTransitionTime":"2026-08-31T23:58:20Z")"), std::string::npos);
  EchoPod(world, "train-b-0", "Unschedulable", gang.members[0].message, "9");
  gang.members[0].reason = "WaitingForQuota";
  world.SetAndDecide(gang);
  world.loop.Advance(1'200);
  sent = world.Take("pods");
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_NE(sent[0].body.find(R"("resourceVersion":"9")"), std::string::npos);
}

// 400 pods whose numbers changed take 4 s; a pod that begins to wait meanwhile is told before them.
TEST(PodConditions, AReasonGoesOutBeforeNumbers) {
  StatusWorld world;
  GangStatus many = WaitingGang("a", 400);
  world.SetAndDecide(many);
  world.loop.Advance(120'000);
  for (auto& member : many.members) member.message = "0/5 nodes are available: 5 Insufficient cpu.";
  world.SetAndDecide(many);
  world.SetAndDecide(WaitingGang("z", 1));
  world.loop.Advance(2'900);
  world.Take("pods");
  world.loop.Advance(300);
  const auto sent = world.Take("pods");
  EXPECT_EQ(sent.size(), 30U);
  EXPECT_TRUE(std::any_of(sent.begin(), sent.end(),
                          [](const auto& request) { return request.name == "z-0"; }));
}

TEST(PodConditions, WhatIsStoredAlreadyIsNotWritten) {
  StatusWorld world;
  const GangStatus gang = WaitingGang("train-b", 1);
  world.Set(gang);
  EchoPod(world, "train-b-0", "Unschedulable", testing::kNoRoom, "8");  // Of a former life.
  world.Decide({gang.key});
  world.loop.Advance(600'000);
  EXPECT_TRUE(world.Take("pods").empty());
}

TEST(PodConditions, NeverOnAPodThatIsBoundGoneOrLeaving) {
  const auto bind = [](PodRecord& pod) { pod.node = "node-1"; };
  const auto replace = [](PodRecord& pod) { pod.uid = "u-anew"; };
  const auto terminate = [](PodRecord& pod) { pod.terminating = true; };
  const auto end = [](PodRecord& pod) { pod.terminal = true; };
  for (const auto& change :
       std::vector<std::function<void(PodRecord&)>>{bind, replace, terminate, end}) {
    StatusWorld world;
    world.SetAndDecide(WaitingGang("train-b", 1));
    world.loop.Advance(3'000);  // Lined up, and not yet sent.
    PodRecord pod = *world.stores.pod({"default", "train-b-0"});
    change(pod);
    world.stores.Put(std::move(pod));
    world.loop.Advance(600'000);
    EXPECT_TRUE(world.Take("pods").empty());
  }
}

TEST(PodConditions, AHundredASecondAndNoneWhileBindingsWait) {
  StatusWorld world;
  world.SetAndDecide(WaitingGang("wide", 250));
  world.loop.Advance(3'000);
  world.loop.Advance(1'000);
  EXPECT_EQ(world.Take("pods").size(), 100U);
  world.writer.BindingsWaiting(true);
  world.loop.Advance(60'000);
  EXPECT_TRUE(world.Take("pods").empty());
  world.writer.BindingsWaiting(false);
  world.loop.Advance(1'000);
  EXPECT_EQ(world.Take("pods").size(), 100U);
  world.loop.Advance(1'000);
  EXPECT_EQ(world.Take("pods").size(), 50U);
}

TEST(PodConditions, AConflictDropsThePatchAndLooksAgain) {
  StatusWorld world;
  const GangStatus gang = WaitingGang("train-b", 1);
  world.SetAndDecide(gang);
  world.answer = 409;
  world.loop.Advance(3'200);
  EXPECT_EQ(world.Take("pods").size(), 1U);
  world.answer = 200;
  // Bound meanwhile: that is why it was refused. Nothing follows.
  world.Set(RunningGang("train-b", 1));
  world.loop.Advance(600'000);
  EXPECT_TRUE(world.Take("pods").empty());
}

TEST(PodConditions, AfterAConflictAPodThatStillWaitsIsToldWithItsNewVersion) {
  StatusWorld world;
  world.SetAndDecide(WaitingGang("train-b", 1));
  world.answer = 409;
  world.loop.Advance(3'200);
  world.Take("pods");
  world.answer = 200;
  PodRecord pod = *world.stores.pod({"default", "train-b-0"});
  pod.resource_version = "12";
  world.stores.Put(std::move(pod));
  world.loop.Advance(2'000);
  const auto sent = world.Take("pods");
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_NE(sent[0].body.find(R"("resourceVersion":"12")"), std::string::npos);
}

TEST(PodConditions, AGangThatGetsItsPlaceWithinTheGraceIsNotBothered) {
  StatusWorld world;
  world.SetAndDecide(WaitingGang("train-b"));
  world.loop.Advance(1'500);
  world.SetAndDecide(RunningGang("train-b"));
  world.loop.Advance(600'000);
  EXPECT_TRUE(world.Take("pods").empty());
}

}  // namespace
}  // namespace muster::controllers
