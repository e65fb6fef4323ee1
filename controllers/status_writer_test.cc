#include "controllers/status_writer.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/testing/status_world.h"
#include "crds/encode.h"

namespace muster::controllers {
namespace {

using scheduler::GangStatus;
using testing::RunningGang;
using testing::StatusWorld;
using testing::WaitingGang;

// PodGroup status.

TEST(PodGroupWrites, OnePatchOfTheWholeStatusAfterASecondOfQuiet) {
  StatusWorld world;
  const GangStatus gang = WaitingGang("train-b");
  world.SetAndDecide(gang);
  world.loop.Advance(600);
  world.Decide({gang.key});  // Not quiet yet.
  world.loop.Advance(999);
  EXPECT_TRUE(world.Take("podgroups").empty());
  const auto status =
      ReconcilePodGroup(gang, *world.stores.group(gang.key), {world.loop.now().wall.ms + 1});
  world.loop.Advance(1);
  const auto sent = world.Take("podgroups");
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].verb, ports::Verb::kPatch);
  EXPECT_EQ(sent[0].resource.group, "muster.dev");
  EXPECT_EQ(sent[0].resource.version, "v1alpha1");
  EXPECT_EQ(sent[0].ns, "default");
  EXPECT_EQ(sent[0].name, "train-b");
  EXPECT_EQ(sent[0].subresource, "status");
  EXPECT_EQ(sent[0].query, "fieldManager=muster");
  EXPECT_EQ(sent[0].content_type, "application/json-patch+json");
  EXPECT_EQ(sent[0].lane, ports::Lane::kStatus);
  EXPECT_EQ(sent[0].body, crds::EncodePodGroupStatus("u-train-b", *status));
  world.Echo(gang);
  world.loop.Advance(600'000);
  EXPECT_TRUE(world.Take("podgroups").empty());
}

TEST(PodGroupWrites, AGangBoundWithinASecondGetsOneInAll) {
  StatusWorld world;
  world.SetAndDecide(WaitingGang("train-a"));
  world.loop.Advance(300);
  world.SetAndDecide(RunningGang("train-a"));
  world.loop.Advance(600'000);
  const auto sent = world.Take("podgroups");
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_NE(sent[0].body.find(R"("phase":"Running")"), std::string::npos);
}

TEST(PodGroupWrites, AGangThatIsNeverQuietIsWrittenWithinFiveSeconds) {
  StatusWorld world;
  const GangStatus gang = WaitingGang("train-b");
  world.Set(gang);
  for (int i = 0; i < 50; ++i) {
    world.Decide({gang.key});
    world.loop.Advance(100);
  }
  EXPECT_EQ(world.Take("podgroups").size(), 1U);
}

TEST(PodGroupWrites, WaitsWhileBindingsDoButFiveSecondsAtMost) {
  StatusWorld world;
  world.writer.BindingsWaiting(true);
  world.SetAndDecide(RunningGang("train-a"));
  world.loop.Advance(4'999);
  EXPECT_TRUE(world.Take("podgroups").empty());
  world.loop.Advance(1);
  EXPECT_EQ(world.Take("podgroups").size(), 1U);

  world.SetAndDecide(RunningGang("train-c"));
  world.loop.Advance(2'000);
  EXPECT_TRUE(world.Take("podgroups").empty());
  world.writer.BindingsWaiting(false);
  world.loop.Advance(0);
  EXPECT_EQ(world.Take("podgroups").size(), 1U);
}

TEST(PodGroupWrites, CountsAloneGoOutEveryFiveSecondsAndAReasonAtOnce) {
  StatusWorld world;
  GangStatus gang = WaitingGang("train-b");
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  world.Echo(gang);
  EXPECT_EQ(world.Take("podgroups").size(), 1U);
  gang.attempts = 2;
  world.SetAndDecide(gang);
  world.loop.Advance(4'999);
  EXPECT_TRUE(world.Take("podgroups").empty());
  world.loop.Advance(1);
  EXPECT_EQ(world.Take("podgroups").size(), 1U);
  world.Echo(gang);
  gang.reason = gang.scheduled_reason = "NeverFits";
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  EXPECT_EQ(world.Take("podgroups").size(), 1U);
}

TEST(PodGroupWrites, NothingIsSentTwiceBeforeTheWatchShowsIt) {
  StatusWorld world;
  const GangStatus gang = WaitingGang("train-b");
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  EXPECT_EQ(world.Take("podgroups").size(), 1U);
  world.Decide({gang.key});
  world.loop.Advance(1'000);
  EXPECT_TRUE(world.Take("podgroups").empty());
}

TEST(PodGroupWrites, AStatusThatSomebodyElseWroteIsWrittenAgain) {
  StatusWorld world;
  const GangStatus gang = RunningGang("train-a");
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  world.Echo(gang);
  world.loop.Advance(60'000);
  EXPECT_EQ(world.Take("podgroups").size(), 1U);
  crds::PodGroupStatus late =
      *ReconcilePodGroup(WaitingGang("train-a"), testing::GroupOf(gang), world.loop.now().wall);
  world.Store(gang.key, late);  // A PATCH of a former leader that took effect only now.
  world.loop.Advance(1'000);
  const auto sent = world.Take("podgroups");
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_NE(sent[0].body.find(R"("phase":"Running")"), std::string::npos);
}

TEST(PodGroupWrites, OneThatFailedIsTriedAgainAndOneOfAnotherObjectIsNot) {
  for (const auto& [answer, writes] : {std::pair{500, 2U}, {422, 1U}, {404, 1U}}) {
    StatusWorld world;
    world.answer = answer;
    world.SetAndDecide(WaitingGang("train-b"));
    world.loop.Advance(1'000);
    world.answer = 200;
    world.loop.Advance(60'000);
    EXPECT_EQ(world.Take("podgroups").size(), writes) << answer;
  }
}

TEST(PodGroupWrites, OneIsUnderWayAtATime) {
  StatusWorld world;
  world.answer = 0;
  world.SetAndDecide(WaitingGang("train-b"));
  world.loop.Advance(1'000);
  world.SetAndDecide(RunningGang("train-b"));
  world.loop.Advance(60'000);
  EXPECT_EQ(world.Take("podgroups").size(), 1U);
  world.Answer(200);
  world.loop.Advance(2'000);
  EXPECT_EQ(world.Take("podgroups").size(), 1U);
}

TEST(PodGroupWrites, AGangThatIsGoneIsForgotten) {
  StatusWorld world;
  const GangStatus gang = WaitingGang("train-b");
  world.SetAndDecide(gang);
  world.gangs.clear();
  world.stores.EraseGroup(gang.key);
  world.loop.Advance(600'000);
  EXPECT_TRUE(world.Take("podgroups").empty());
  EXPECT_TRUE(world.Take("pods").empty());
  EXPECT_EQ(world.loop.timers(), 0U);
}

// Texts that grow old.

TEST(TextRefresh, ATextThatIsNoLongerTrueIsWrittenAnewFiveSecondsAfterADecision) {
  StatusWorld world;
  GangStatus gang = WaitingGang("train-b");
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  world.Echo(gang);
  world.loop.Advance(600'000);
  EXPECT_EQ(world.Take("podgroups").size(), 1U);
  EXPECT_EQ(world.Take("events").size(), 5U);
  const std::size_t reads = world.reads.size();
  // Nobody says that the gang changed: its holder did.
  gang.message = "held by pods without PodGroup (32)";
  world.Set(gang);
  world.loop.Advance(600'000);
  EXPECT_EQ(world.reads.size(), reads);  // Nothing was decided.
  world.Decide({});
  world.loop.Advance(4'999);
  EXPECT_TRUE(world.Take("podgroups").empty());
  world.loop.Advance(1);
  const auto sent = world.Take("podgroups");
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_NE(sent[0].body.find("pods without PodGroup"), std::string::npos);
  EXPECT_TRUE(world.Take("events").empty());
  world.Echo(gang);
  EXPECT_EQ(world.loop.timers(), 0U);
}

TEST(TextRefresh, ATextThatIsStillTrueCostsNoWrite) {
  StatusWorld world;
  const GangStatus gang = WaitingGang("train-b");
  world.SetAndDecide(gang);
  world.loop.Advance(1'000);
  world.Echo(gang);
  world.loop.Advance(60'000);
  world.Take("podgroups");
  world.Take("pods");
  const std::size_t reads = world.reads.size();
  // Decisions without end: it is read every 5 s, not oftener.
  for (int i = 0; i < 600; ++i) {
    world.Decide({});
    world.loop.Advance(100);
  }
  EXPECT_EQ(world.reads.size(), reads + 12);
  EXPECT_TRUE(world.Take("podgroups").empty());
  EXPECT_TRUE(world.Take("pods").empty());
}

TEST(TextRefresh, AHundredAreReadInFiveSecondsAndEachOnceInARound) {
  StatusWorld world;
  for (int i = 0; i < 250; ++i) world.SetAndDecide(WaitingGang("g-" + std::to_string(i)));
  world.loop.Advance(60'000);
  world.reads.clear();
  world.Decide({});
  world.loop.Advance(4'999);
  EXPECT_TRUE(world.reads.empty());
  for (const std::size_t read : {100U, 200U, 250U, 250U}) {
    world.loop.Advance(5'000);
    EXPECT_EQ(world.reads.size(), read);
  }
  const std::set<std::string> once(world.reads.begin(), world.reads.end());
  EXPECT_EQ(once.size(), 250U);
}

TEST(TextRefresh, AGangThatRunsIsNotReadAgain) {
  StatusWorld world;
  world.SetAndDecide(WaitingGang("train-b"));
  world.loop.Advance(60'000);
  world.SetAndDecide(RunningGang("train-b"));
  world.loop.Advance(60'000);
  world.reads.clear();
  world.Decide({});
  world.loop.Advance(60'000);
  EXPECT_TRUE(world.reads.empty());
}

// Queue status.

void SetQueue(StatusWorld& world, const std::string& name, std::int32_t pending) {
  scheduler::QueueStatus status;
  status.name = name;
  status.active = true;
  status.active_reason = "Ready";
  status.pending_gangs = pending;
  world.queues[name] = status;
  if (world.stores.queue(name) == nullptr) {
    crds::Queue queue;
    queue.meta.name = name;
    queue.meta.uid = "u-" + name;
    world.stores.Put(queue);
  }
  scheduler::Decision decision;
  decision.changed_queues = {name};
  world.writer.OnDecision(decision);
}

TEST(QueueWrites, OneInFiveSecondsForAQueue) {
  StatusWorld world;
  SetQueue(world, "research", 1);
  world.loop.Advance(1'000);
  const auto sent = world.Take("queues");
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].name, "research");
  EXPECT_EQ(sent[0].ns, "");
  EXPECT_EQ(sent[0].subresource, "status");
  EXPECT_EQ(sent[0].content_type, "application/json-patch+json");
  EXPECT_EQ(sent[0].body.find(R"([{"op":"test","path":"/metadata/uid","value":"u-research"})"), 0U);
  for (int i = 2; i < 7; ++i) {
    SetQueue(world, "research", i);
    world.loop.Advance(999);
  }
  EXPECT_TRUE(world.Take("queues").empty());
  world.loop.Advance(5);
  const auto later = world.Take("queues");
  ASSERT_EQ(later.size(), 1U);
  EXPECT_NE(later[0].body.find(R"("pendingGangs":6)"), std::string::npos);
}

TEST(QueueWrites, TwentyASecondInAll) {
  StatusWorld world;
  for (int i = 0; i < 100; ++i) SetQueue(world, "q-" + std::to_string(i), 1);
  world.loop.Advance(1'000);
  world.Take("queues");
  for (int second = 0; second < 4; ++second) {
    world.loop.Advance(1'000);
    EXPECT_EQ(world.Take("queues").size(), 20U);
  }
  world.loop.Advance(1'000);
  EXPECT_EQ(world.Take("queues").size(), 19U);
}

TEST(QueueWrites, AStatusThatSomebodyElseWroteIsWrittenAgainAndAnEchoIsNot) {
  StatusWorld world;
  SetQueue(world, "research", 1);
  world.loop.Advance(1'000);
  EXPECT_EQ(world.Take("queues").size(), 1U);
  crds::Queue queue = *world.stores.queue("research");
  queue.status = crds::QueueStatus{};
  world.stores.Put(queue);
  world.writer.QueueStored("research");
  world.loop.Advance(5'000);
  EXPECT_EQ(world.Take("queues").size(), 1U);
}

TEST(QueueWrites, OneThatFailedIsTriedAgain) {
  StatusWorld world;
  world.answer = 503;
  SetQueue(world, "research", 1);
  world.loop.Advance(1'000);
  world.answer = 200;
  world.loop.Advance(5'000);
  EXPECT_EQ(world.Take("queues").size(), 2U);
}

}  // namespace
}  // namespace muster::controllers
