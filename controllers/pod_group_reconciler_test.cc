#include "controllers/pod_group_reconciler.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/conditions.h"
#include "controllers/testing/status_builders.h"

namespace muster::controllers {
namespace {

using scheduler::GangStatus;
using scheduler::Phase;
using testing::GroupOf;
using testing::kNow;
using testing::kNowSeconds;
using testing::RunningGang;
using testing::WaitingGang;

crds::Condition Condition(const std::string& type, bool status, const std::string& reason,
                          const std::string& message) {
  crds::Condition out;
  out.type = type;
  out.status = status ? "True" : "False";
  out.reason = reason;
  out.message = message;
  out.observed_generation = 1;
  out.last_transition_ms = kNowSeconds;
  return out;
}

TEST(PodGroupReconciler, WritesTheWholeStatusOfAWaitingGang) {
  const GangStatus gang = WaitingGang("train-b");
  crds::PodGroupStatus expected;
  expected.phase = "Queued";
  expected.reason = "Unschedulable";
  expected.message = testing::kNoRoom;
  expected.queue = "research";
  expected.summary = "0/4";
  expected.attempts = 1;
  expected.members.total = 4;
  expected.observed_generation = 1;
  expected.conditions = {Condition("Admitted", false, "NotPlaced", testing::kNoRoom),
                         Condition("Scheduled", false, "Unschedulable", testing::kNoRoom)};
  EXPECT_EQ(ReconcilePodGroup(gang, GroupOf(gang), kNow), expected);
}

TEST(PodGroupReconciler, WritesTheWholeStatusOfARunningGang) {
  const GangStatus gang = RunningGang("train-a");
  crds::PodGroupStatus expected;
  expected.phase = "Running";
  expected.message = "4 of 4 members bound to 4 nodes";
  expected.queue = "research";
  expected.summary = "4/4";
  expected.attempts = 1;
  expected.admission = {.queue = "research",
                        .time_ms = 1'788'220'799'000,
                        .charges = {{"cpu", 4'500}, {"nvidia.com/gpu", 32'000}}};
  expected.members = {4, 4, 4, 0, 0};
  expected.start_ms = kNowSeconds;
  expected.observed_generation = 1;
  expected.conditions = {
      Condition("Admitted", true, "QuotaReserved",
                "quota reserved in queue research: 4500m cpu, 32 nvidia.com/gpu"),
      Condition("Scheduled", true, "Bound", "4 of 4 members bound to 4 nodes")};
  EXPECT_EQ(ReconcilePodGroup(gang, GroupOf(gang), kNow), expected);
}

// Each refusal that a user can meet: the core's words reach both conditions, the reason of the one
// that is the cause reaches the column.
TEST(PodGroupReconciler, ShowsEachRefusal) {
  struct Case {
    Phase phase;
    std::string admitted, scheduled, reason, message;
  };
  const std::vector<Case> cases = {
      {Phase::kPending, "NotEnoughMembers", "NotAdmitted", "NotEnoughMembers",
       "3 of 4 members exist"},
      {Phase::kPending, "NotEnoughMembers", "NotAdmitted", "NotEnoughMembers",
       "4 exist, 1 behind a scheduling gate"},
      {Phase::kQueued, "QueueNotFound", "NotAdmitted", "QueueNotFound",
       "queue \"reserach\" does not exist; queues this namespace may use: research"},
      {Phase::kQueued, "QueueNotFound", "NotAdmitted", "QueueNotFound",
       "queue \"default\" does not exist (spec.queue is unset); queues this namespace may use: "
       "research"},
      {Phase::kQueued, "NamespaceNotAllowed", "NotAdmitted", "NamespaceNotAllowed",
       "queue \"research\" admits namespaces with team=research"},
      {Phase::kQueued, "NamespaceNotAllowed", "NotAdmitted", "NamespaceNotAllowed",
       "queue \"research\" admits no namespace: its namespaceSelector is unset ({} admits all)"},
      {Phase::kQueued, "WaitingForQuota", "NotAdmitted", "WaitingForQuota",
       "Queue research: uses 32 of 16 nominal; the gang needs 16 more."},
      {Phase::kQueued, "Invalid", "NotAdmitted", "Invalid",
       "spec.priorityClassName: system-node-critical is for system pods"},
      {Phase::kQueued, "NotPlaced", "NeverFits", "NeverFits",
       "needs 16 nvidia.com/gpu on one node; the largest node has 8 (node-a)"},
      {Phase::kQueued, "NotPlaced", "BindFailed", "BindFailed",
       "train-b-2: 403 pods \"train-b-2\" is forbidden"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.message);
    GangStatus gang = WaitingGang("train-b");
    gang.phase = c.phase;
    gang.admitted_reason = c.admitted;
    gang.scheduled_reason = c.scheduled;
    gang.reason = c.reason;
    gang.message = c.message;
    const auto status = ReconcilePodGroup(gang, GroupOf(gang), kNow);
    ASSERT_TRUE(status.has_value());
    EXPECT_EQ(status->phase, c.phase == Phase::kPending ? "Pending" : "Queued");
    EXPECT_EQ(status->reason, c.reason);
    EXPECT_EQ(status->message, c.message);
    EXPECT_EQ(status->admission, std::nullopt);
    EXPECT_EQ(status->conditions,
              (std::vector{Condition("Admitted", false, c.admitted, c.message),
                           Condition("Scheduled", false, c.scheduled, c.message)}));
  }
}

TEST(PodGroupReconciler, WritesNothingWhenNothingDiffers) {
  for (const GangStatus& gang : {WaitingGang("train-b"), RunningGang("train-a")}) {
    crds::PodGroup group = GroupOf(gang);
    group.status = ReconcilePodGroup(gang, group, kNow);
    EXPECT_EQ(ReconcilePodGroup(gang, group, {kNow.ms + 3'600'000}), std::nullopt);
  }
}

TEST(PodGroupReconciler, WritesNothingBeforeTheFirstAttemptOrForAnotherObject) {
  GangStatus gang = WaitingGang("train-b");
  gang.attempted = false;
  EXPECT_EQ(ReconcilePodGroup(gang, GroupOf(gang), kNow), std::nullopt);
  gang.attempted = true;
  crds::PodGroup anew = GroupOf(gang);
  anew.meta.uid = "u-anew";
  EXPECT_EQ(ReconcilePodGroup(gang, anew, kNow), std::nullopt);
}

TEST(PodGroupReconciler, MovesATransitionTimeWithTheStatusAlone) {
  GangStatus gang = WaitingGang("train-b");
  crds::PodGroup group = GroupOf(gang);
  group.status = ReconcilePodGroup(gang, group, kNow);
  gang.scheduled_reason = gang.reason = "NeverFits";
  gang.message = "needs 16 nvidia.com/gpu on one node; the largest node has 8 (node-a)";
  group.meta.generation = 2;
  const Wall later{kNow.ms + 60'000};
  const auto refused = ReconcilePodGroup(gang, group, later);
  ASSERT_TRUE(refused.has_value());
  for (const crds::Condition& condition : refused->conditions) {
    EXPECT_EQ(condition.last_transition_ms, kNowSeconds) << condition.type;
    EXPECT_EQ(condition.observed_generation, 2) << condition.type;
  }
  group.status = refused;
  const auto bound = ReconcilePodGroup(RunningGang("train-b"), group, later);
  ASSERT_TRUE(bound.has_value());
  EXPECT_EQ(FindCondition(bound->conditions, "Scheduled")->last_transition_ms,
            kNowSeconds + 60'000);
}

TEST(PodGroupReconciler, AnAdmissionKeepsTheTimeThatIsStored) {
  GangStatus gang = RunningGang("train-a");
  crds::PodGroup group = GroupOf(gang);
  group.status = ReconcilePodGroup(gang, group, kNow);
  gang.admitted_at = {kNow.ms + 90'000};  // A new leader counts from its own start.
  gang.attempts = 0;
  EXPECT_EQ(ReconcilePodGroup(gang, group, kNow), std::nullopt);
}

TEST(PodGroupReconciler, WhileItsBindingsAreUnderWayAGangIsAdmittedAndNotScheduled) {
  GangStatus gang = RunningGang("train-a");
  gang.phase = Phase::kBinding;
  gang.scheduled = false;
  gang.bound = 2;
  gang.message = "2 of 4 members bound";
  const auto status = ReconcilePodGroup(gang, GroupOf(gang), kNow);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->phase, "Binding");
  EXPECT_EQ(status->summary, "2/4");
  EXPECT_EQ(status->start_ms, std::nullopt);
  EXPECT_EQ(FindCondition(status->conditions, "Admitted")->status, "True");
  EXPECT_EQ(*FindCondition(status->conditions, "Scheduled"),
            Condition("Scheduled", false, "Binding", "2 of 4 members bound"));
}

// What a later leader reads: a gang that waits and has a start lost a part of itself.
TEST(PodGroupReconciler, TheStartStaysWhileAMemberOfTheRunIsBound) {
  crds::PodGroup group = GroupOf(RunningGang("train-a"));
  const auto next = [&](const GangStatus& gang, std::int64_t after_ms) {
    group.status = *ReconcilePodGroup(gang, group, {kNow.ms + after_ms});
    return group.status->start_ms;
  };
  EXPECT_EQ(next(RunningGang("train-a"), 0), kNowSeconds);
  GangStatus lost = WaitingGang("train-a");
  lost.bound = 3;
  EXPECT_EQ(next(lost, 60'000), kNowSeconds);
  EXPECT_EQ(FindCondition(group.status->conditions, "Scheduled")->status, "False");
  EXPECT_EQ(next(RunningGang("train-a"), 120'000), kNowSeconds);  // Replaced: the same run.
  EXPECT_EQ(next(WaitingGang("train-a"), 180'000), std::nullopt);
  GangStatus binding = RunningGang("train-a");
  binding.phase = Phase::kBinding;
  binding.scheduled = false;
  binding.bound = 2;
  EXPECT_EQ(next(binding, 240'000), std::nullopt);
  EXPECT_EQ(next(RunningGang("train-a"), 300'000), kNowSeconds + 300'000);
}

GangStatus EndedGang(Phase phase, std::int32_t succeeded, std::int32_t failed) {
  GangStatus gang = RunningGang("train-a");
  gang.phase = phase;
  gang.bound = gang.running = 0;
  gang.succeeded = succeeded;
  gang.failed = failed;
  gang.admitted = false;
  gang.charges.clear();
  gang.scheduled = succeeded >= gang.min_member;
  gang.message = std::to_string(succeeded) + " of 4 members succeeded";
  return gang;
}

TEST(PodGroupReconciler, AFinishedGangSaysHowItEnded) {
  crds::PodGroup group = GroupOf(RunningGang("train-a"));
  group.status = ReconcilePodGroup(RunningGang("train-a"), group, kNow);
  const Wall end{kNow.ms + 60'000};
  const auto good = ReconcilePodGroup(EndedGang(Phase::kSucceeded, 4, 0), group, end);
  ASSERT_TRUE(good.has_value());
  EXPECT_EQ(good->phase, "Succeeded");
  EXPECT_EQ(good->summary, "4/4");
  EXPECT_EQ(good->admission, std::nullopt);
  EXPECT_EQ(good->start_ms, kNowSeconds);
  EXPECT_EQ(good->completion_ms, kNowSeconds + 60'000);
  EXPECT_EQ(FindCondition(good->conditions, "Finished")->reason, "Succeeded");
  EXPECT_EQ(FindCondition(good->conditions, "Scheduled")->status, "True");
  EXPECT_EQ(FindCondition(good->conditions, "Admitted")->status, "False");

  const auto bad = ReconcilePodGroup(EndedGang(Phase::kFailed, 3, 1), group, end);
  ASSERT_TRUE(bad.has_value());
  EXPECT_EQ(bad->phase, "Failed");
  EXPECT_EQ(bad->summary, "3/4");
  EXPECT_EQ(FindCondition(bad->conditions, "Finished")->reason, "Failed");
}

TEST(PodGroupReconciler, PodsThatAreCleanedUpLeadNowhere) {
  const GangStatus ended = EndedGang(Phase::kSucceeded, 4, 0);
  crds::PodGroup group = GroupOf(ended);
  group.status = ReconcilePodGroup(ended, group, kNow);

  GangStatus partly = ended;  // One pod is left; the core counts what it sees.
  partly.total = partly.succeeded = 1;
  const auto counted = ReconcilePodGroup(partly, group, kNow);
  ASSERT_TRUE(counted.has_value());
  EXPECT_EQ(counted->members.succeeded, 4);
  EXPECT_EQ(counted->summary, "4/4");

  GangStatus gone = WaitingGang("train-a");
  gone.phase = Phase::kPending;
  gone.total = 0;
  EXPECT_TRUE(StaysFinished(gone, group));
  EXPECT_EQ(ReconcilePodGroup(gone, group, kNow), std::nullopt);
  gone.total = 1;  // Made anew.
  EXPECT_FALSE(StaysFinished(gone, group));
}

TEST(PodGroupReconciler, ANewLiveMemberLeadsBack) {
  const GangStatus ended = EndedGang(Phase::kFailed, 1, 3);
  crds::PodGroup group = GroupOf(ended);
  group.status = ReconcilePodGroup(ended, group, kNow);
  const auto again = ReconcilePodGroup(WaitingGang("train-a"), group, kNow);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->phase, "Queued");
  EXPECT_EQ(again->completion_ms, std::nullopt);
  EXPECT_EQ(again->start_ms, std::nullopt);
  EXPECT_EQ(FindCondition(again->conditions, "Finished"), nullptr);
  EXPECT_EQ(again->summary, "1/4");
  // All members anew while a former success is still counted: the summary stays a part of a whole.
  const auto running = ReconcilePodGroup(RunningGang("train-a"), group, kNow);
  ASSERT_TRUE(running.has_value());
  EXPECT_EQ(running->summary, "4/4");
}

TEST(PodGroupReconciler, TheSummaryCountsMembersBeyondTheMinimum) {
  GangStatus gang = RunningGang("s", 7);
  gang.min_member = 1;
  gang.total = 96;
  gang.message =
      "7 of 96 members bound to 1 node; min 1; 89 beyond it wait: 0/1 nodes are available: 1 "
      "Insufficient cpu.";
  const auto status = ReconcilePodGroup(gang, GroupOf(gang), kNow);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->phase, "Running");
  EXPECT_EQ(status->reason, "");
  EXPECT_EQ(status->summary, "7/96");
  EXPECT_EQ(status->message, gang.message);
}

TEST(PodGroupReconciler, NumbersAloneAreCountsAndTexts) {
  const GangStatus gang = WaitingGang("train-b");
  const auto before = ReconcilePodGroup(gang, GroupOf(gang), kNow);
  GangStatus counts = gang;
  counts.attempts = 7;
  counts.total = 5;
  counts.message = "0/5 nodes are available: 5 Insufficient nvidia.com/gpu.";
  EXPECT_TRUE(DifferInNumbersAlone(*before, *ReconcilePodGroup(counts, GroupOf(counts), kNow)));
  GangStatus reason = gang;
  reason.scheduled_reason = "NeverFits";
  EXPECT_FALSE(DifferInNumbersAlone(*before, *ReconcilePodGroup(reason, GroupOf(reason), kNow)));
  const GangStatus running = RunningGang("train-b");
  EXPECT_FALSE(DifferInNumbersAlone(*before, *ReconcilePodGroup(running, GroupOf(running), kNow)));
}

}  // namespace
}  // namespace muster::controllers
