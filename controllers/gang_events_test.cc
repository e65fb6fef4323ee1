#include "controllers/gang_events.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/testing/status_world.h"

namespace muster::controllers {
namespace {

using scheduler::GangStatus;
using testing::RunningGang;
using testing::StatusWorld;
using testing::WaitingGang;

// "Warning FailedScheduling PodGroup/train-b: <note>" of each event sent.
std::string Field(const std::string& body, const std::string& name, std::size_t from = 0) {
  const std::string key = '"' + name + "\":\"";
  const std::size_t at = body.find(key, from) + key.size();
  return body.substr(at, body.find('"', at) - at);
}
std::vector<std::string> Events(StatusWorld& world) {
  std::vector<std::string> out;
  for (const ports::Request& request : world.Take("events")) {
    const std::size_t regarding = request.body.find("\"regarding\"");
    out.push_back(Field(request.body, "type") + " " + Field(request.body, "reason") + " " +
                  Field(request.body, "kind", regarding) + "/" +
                  Field(request.body, "name", regarding) + ": " + Field(request.body, "note"));
  }
  return out;
}
using Lines = std::vector<std::string>;

GangStatus SinglePod(bool bound) {
  GangStatus gang = bound ? RunningGang("train-0", 1) : WaitingGang("train-0", 1);
  gang.key.single_pod = true;
  gang.members[0].pod = {"default", "train-0"};
  gang.members[0].uid = gang.uid;
  if (bound) gang.members[0].node = "node-a";
  if (!bound) {
    gang.message = gang.members[0].message =
        "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. Needs 8 nvidia.com/gpu on one "
        "node; most free is 4 on node-b.";
  }
  return gang;
}

TEST(GangEvents, AWaitingGangIsToldOnThePodGroupAndItsMembersOnceForEachText) {
  StatusWorld world;
  const GangStatus gang = WaitingGang("train-b");
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  const std::string text = std::string(": ") + testing::kNoRoom;
  EXPECT_EQ(Events(world), (Lines{"Warning FailedScheduling PodGroup/train-b" + text,
                                  "Warning FailedScheduling Pod/train-b-0" + text,
                                  "Warning FailedScheduling Pod/train-b-1" + text,
                                  "Warning FailedScheduling Pod/train-b-2" + text,
                                  "Warning FailedScheduling Pod/train-b-3" + text}));
  world.Echo(gang);
  for (int i = 0; i < 4; ++i) {
    world.Decide({gang.key});
    world.loop.Advance(70'000);
  }
  EXPECT_EQ(Events(world), Lines{});
}

TEST(GangEvents, ANewTextIsToldAndAnOldOneAgainAfterFiveMinutes) {
  StatusWorld world;
  GangStatus gang = WaitingGang("train-b", 1);
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  EXPECT_EQ(Events(world).size(), 2U);
  gang.message = gang.members[0].message = "0/5 nodes are available: 5 node(s) were unschedulable.";
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  EXPECT_EQ(Events(world).size(), 2U);
  world.loop.Advance(297'999);
  world.SetAndDecide(WaitingGang("train-b", 1));
  world.loop.Advance(1'000);  // 299.999 s after the first.
  EXPECT_EQ(Events(world).size(), 0U);
  world.Decide({gang.key});
  world.loop.Advance(1'000);
  EXPECT_EQ(world.Take("events").size(), 2U);  // As a series of the first.
}

TEST(GangEvents, OnlyTheFirstEightWaitingMembersAreTold) {
  StatusWorld world;
  GangStatus gang = WaitingGang("wide", 96);
  gang.members[3].bound = true;
  gang.members[3].node = "node-1";
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  const Lines events = Events(world);
  ASSERT_EQ(events.size(), 9U);
  EXPECT_EQ(events[8].find("Warning FailedScheduling Pod/wide-8: "), 0U);
}

TEST(GangEvents, MembersBeyondTheMinimumAreToldWhatTheyWaitForAndTheGangIsNot) {
  StatusWorld world;
  GangStatus gang = RunningGang("s", 1);
  gang.message =
      "1 of 2 members bound to 1 node; min 1; 1 beyond it waits: 0/1 nodes are available: 1 "
      "Insufficient cpu.";
  gang.total = 2;
  scheduler::MemberStatus surplus = testing::Member(gang.key, 1);
  surplus.reason = "Surplus";
  surplus.message = "0/1 nodes are available: 1 Insufficient cpu.";
  gang.members.push_back(surplus);
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  EXPECT_EQ(Events(world),
            (Lines{"Normal Scheduled PodGroup/s: 1 of 2 members bound to 1 node: node-1",
                   "Warning FailedScheduling Pod/s-1: 0/1 nodes are available: 1 Insufficient "
                   "cpu."}));
}

TEST(GangEvents, ABoundGangIsToldOnceOnThePodGroup) {
  StatusWorld world;
  const GangStatus gang = RunningGang("train-a");
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  EXPECT_EQ(Events(world), Lines{"Normal Scheduled PodGroup/train-a: 4 of 4 members bound to 4 "
                                 "nodes: node-1, node-2, node-3, node-4"});
  world.Echo(gang);
  for (int i = 0; i < 10; ++i) {
    world.Decide({gang.key});
    world.loop.Advance(60'000);
  }
  EXPECT_EQ(Events(world), Lines{});
}

TEST(GangEvents, AfterARestartABoundGangIsNotToldAgain) {
  StatusWorld world;
  const GangStatus gang = RunningGang("train-a");
  world.Set(gang);
  world.Echo(gang);
  world.Decide({gang.key});
  world.loop.Advance(60'000);
  EXPECT_EQ(Events(world), Lines{});
}

TEST(GangEvents, AfterARestartAWaitingGangIsNotToldWhatItsStatusSays) {
  StatusWorld world;
  GangStatus gang = WaitingGang("train-b");
  world.Set(gang);
  world.Echo(gang);
  world.Decide({gang.key});
  world.loop.Advance(1'000);
  EXPECT_EQ(Events(world), Lines{});
  gang.message = "0/5 nodes are available: 5 node(s) were unschedulable.";
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  EXPECT_EQ(Events(world), Lines{"Warning FailedScheduling PodGroup/train-b: " + gang.message});

  const GangStatus single = SinglePod(false);
  world.Set(single);
  PodRecord pod = *world.stores.pod(single.members[0].pod);
  pod.scheduled.status = "False";
  pod.scheduled.message = single.message;
  world.stores.Put(pod);
  world.Decide({single.key});
  world.loop.Advance(1'000);
  EXPECT_EQ(Events(world), Lines{});
}

TEST(GangEvents, AGangOfOneGetsTheWordsOfKubeScheduler) {
  StatusWorld world;
  const GangStatus waiting = SinglePod(false);
  world.SetAndDecide(waiting);
  world.loop.Advance(1'000);
  EXPECT_EQ(Events(world), Lines{"Warning FailedScheduling Pod/train-0: " + waiting.message});
  scheduler::Decision decision;
  decision.admits.emplace_back();
  decision.admits[0].gang = waiting.key;
  decision.admits[0].gang_uid = waiting.uid;
  decision.changed_gangs = {waiting.key};
  world.Set(SinglePod(true));
  world.writer.OnDecision(decision);
  world.loop.Advance(1'000);
  EXPECT_EQ(Events(world),
            Lines{"Normal Scheduled Pod/train-0: Successfully assigned default/train-0 to node-a"});
  world.Decide({waiting.key});
  world.loop.Advance(600'000);
  EXPECT_EQ(Events(world), Lines{});
  EXPECT_TRUE(world.Take("podgroups").empty());
}

TEST(GangEvents, AGangOfOneThatWasBoundBeforeOrByOthersIsNotTold) {
  StatusWorld world;
  world.SetAndDecide(SinglePod(true));
  world.loop.Advance(600'000);
  EXPECT_EQ(Events(world), Lines{});
}

TEST(GangEvents, MembersOfAPodGroupThatDoesNotExistAreTold) {
  StatusWorld world;
  GangStatus gang = WaitingGang("train", 1);
  gang.uid = "";
  gang.members[0].reason = "PodGroupNotFound";
  gang.members[0].message = gang.message =
      "PodGroup \\\"train\\\" does not exist in namespace default";
  world.Set(gang);
  world.stores.EraseGroup(gang.key);
  world.Decide({gang.key});
  world.loop.Advance(1'000);
  const Lines events = Events(world);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].find("Warning FailedScheduling Pod/train-0: PodGroup"), 0U);
}

TEST(GangEvents, AFinishedGangWhosePodsWereCleanedUpIsNoComplaint) {
  StatusWorld world;
  GangStatus ended = RunningGang("train-a");
  ended.phase = scheduler::Phase::kSucceeded;
  ended.bound = ended.running = 0;
  ended.succeeded = 4;
  world.Set(ended);
  world.Echo(ended);
  GangStatus gone = WaitingGang("train-a");
  gone.phase = scheduler::Phase::kPending;
  gone.total = 0;
  gone.members.clear();
  gone.message = "0 of 4 members exist";
  world.SetAndDecide(gone);
  world.loop.Advance(600'000);
  EXPECT_EQ(Events(world), Lines{});
  EXPECT_TRUE(world.Take("podgroups").empty());
}

}  // namespace
}  // namespace muster::controllers
