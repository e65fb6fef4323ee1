#include "controllers/scheduling_loop.h"

#include <gtest/gtest.h>

#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

using scheduler::Decision;
using testing::ProtocolRig;

class SchedulingLoopTest : public ::testing::Test {
 protected:
  void FeedPods(std::int32_t count) {
    for (std::int32_t i = 0; i < count; ++i) {
      loop_.Feed(scheduler::PodGone{"x" + std::to_string(i)});
    }
  }

  // A gang of two, and one whose pod is gone.
  [[nodiscard]] static std::vector<crds::JournalEntry> OnPage() {
    auto gone = ProtocolRig::PageEntry(80, 1);
    gone.nodes[0].pods[0] = {.name = "other", .uid = "other", .resource_version = "1"};
    return {ProtocolRig::PageEntry(70, 2), gone};
  }

  ProtocolRig rig_{2, OnPage()};
  std::int64_t applied_ = 0;
  std::vector<std::int64_t> applied_at_decide_;
  std::vector<std::int32_t> admits_allowed_;
  std::deque<Decision> script_;
  int told_ = 0;
  SchedulingLoop loop_{{.loop = rig_.loop,
                        .telemetry = rig_.telemetry,
                        .core = {.apply = [this](const scheduler::Event&) { ++applied_; },
                                 .decide =
                                     [this](Now, scheduler::Budget budget) {
                                       applied_at_decide_.push_back(applied_);
                                       admits_allowed_.push_back(budget.admits);
                                       if (script_.empty()) return Decision{};
                                       Decision next = script_.front();
                                       script_.pop_front();
                                       return next;
                                     }},
                        .journal = *rig_.journal,
                        .binder = *rig_.binder,
                        .decided = [this](const Decision&, std::int64_t) { ++told_; }}};
};

TEST_F(SchedulingLoopTest, DecidesNothingBeforeItIsSynced) {
  FeedPods(3);
  rig_.Run();
  EXPECT_EQ(applied_, 3);
  EXPECT_TRUE(applied_at_decide_.empty());
  EXPECT_FALSE(loop_.started());
  loop_.Feed(scheduler::Synced{});
  rig_.Run();
  EXPECT_EQ(applied_at_decide_, std::vector<std::int64_t>{4});
  EXPECT_TRUE(loop_.started());
  EXPECT_EQ(told_, 1);
}

TEST_F(SchedulingLoopTest, DecidesOncePerBatch) {
  loop_.Feed(scheduler::Synced{});
  FeedPods(10);
  rig_.Run();
  EXPECT_EQ(applied_at_decide_, std::vector<std::int64_t>{11});
  rig_.Run();
  EXPECT_EQ(applied_at_decide_.size(), 1U);
}

TEST_F(SchedulingLoopTest, DecidesAfterAtMost4096Events) {
  loop_.Feed(scheduler::Synced{});
  FeedPods(5'000);
  rig_.Run();
  EXPECT_EQ(applied_at_decide_, (std::vector<std::int64_t>{4'096, 5'001}));
}

TEST_F(SchedulingLoopTest, WakesAtTheInstantThatTheCoreNames) {
  Decision first;
  first.wake_at = Ticks{testing::ManualLoop::kMonoStartMs + 700};
  script_.push_back(first);
  loop_.Feed(scheduler::Synced{});
  rig_.Advance(699);
  EXPECT_EQ(applied_at_decide_.size(), 1U);
  rig_.Advance(1);
  EXPECT_EQ(applied_at_decide_.size(), 2U);
  rig_.Advance(10'000);
  EXPECT_EQ(applied_at_decide_.size(), 2U);
}

TEST_F(SchedulingLoopTest, ForgetsAnInstantThatALaterDecisionDropped) {
  Decision first;
  first.wake_at = Ticks{testing::ManualLoop::kMonoStartMs + 700};
  script_.push_back(first);
  loop_.Feed(scheduler::Synced{});
  rig_.Run();
  FeedPods(1);
  rig_.Advance(10'000);
  EXPECT_EQ(applied_at_decide_.size(), 2U);
}

TEST_F(SchedulingLoopTest, GoesOnWhileTheBudgetEndsTheCycle) {
  Decision more;
  more.more = true;
  script_ = {more, more};
  loop_.Feed(scheduler::Synced{});
  rig_.Run();
  EXPECT_EQ(applied_at_decide_.size(), 3U);
}

TEST_F(SchedulingLoopTest, HandsOutAdmitsAndTakesTheAnswers) {
  rig_.AddPods(2);
  Decision admit;
  admit.admits.push_back(ProtocolRig::Admit(7, 2));
  script_.push_back(admit);
  loop_.Feed(scheduler::Synced{});
  rig_.Run();
  EXPECT_TRUE(rig_.Said("closed 7"));
  EXPECT_EQ(rig_.api.pods().at("train-1").node, "n1");
}

TEST_F(SchedulingLoopTest, TakesAbandonsBeforeEntriesAreRolledForward) {
  rig_.AddPods(2);
  for (const crds::JournalEntry& entry : OnPage()) rig_.binder->Adopt({entry});
  Decision abandon;
  abandon.abandons.push_back(ProtocolRig::Abandon(70));
  script_.push_back(abandon);
  loop_.Feed(scheduler::Synced{});
  rig_.Run();
  EXPECT_EQ(rig_.api.Count("POST"), 0);
  EXPECT_EQ(rig_.api.Count("PATCH"), 2);
  EXPECT_TRUE(rig_.Said("gone other"));
}

TEST_F(SchedulingLoopTest, AdmitsNothingWhileTheJournalIsFull) {
  rig_.AddPods(3);
  for (const char* page : {"p-00", "p-01"}) {
    rig_.api.Hold(std::string("PUT bindingjournals/") + page);
  }
  for (std::uint64_t id = 1; id <= 3; ++id) {
    auto admit = ProtocolRig::Admit(id, 1);
    admit.pods[0].pod = "u" + std::to_string(id - 1);
    admit.pods[0].pod_key.name = "train-" + std::to_string(id - 1);
    rig_.binder->Admit(admit);
    rig_.Advance(5);
  }
  Decision more;
  more.more = true;
  script_ = {more};
  loop_.Feed(scheduler::Synced{});
  rig_.Run();
  EXPECT_EQ(admits_allowed_, std::vector<std::int32_t>{0});
  rig_.api.Release("PUT bindingjournals/p-00");
  rig_.Advance(5);
  loop_.Wake();
  rig_.Run();
  EXPECT_EQ(admits_allowed_.back(), scheduler::Budget{}.admits);
}

// What is known may be old: events and answers are taken, decisions wait for a second after it is
// current again, and for all that came until then.
TEST_F(SchedulingLoopTest, DecidesNothingOnAnOldView) {
  loop_.Feed(scheduler::Synced{});
  rig_.Run();
  loop_.SetCurrent(false);
  FeedPods(3);
  loop_.Wake();
  rig_.Advance(60'000);
  EXPECT_EQ(applied_, 4);
  EXPECT_EQ(applied_at_decide_, std::vector<std::int64_t>{1});
  loop_.SetCurrent(true);
  rig_.Advance(500);
  loop_.SetCurrent(false);  // Cut once more.
  rig_.Advance(60'000);
  loop_.SetCurrent(true);
  rig_.Advance(999);
  EXPECT_EQ(applied_at_decide_.size(), 1U);
  FeedPods(5'000);
  rig_.Advance(1);
  EXPECT_EQ(applied_at_decide_, (std::vector<std::int64_t>{1, 5'004}));
}

TEST_F(SchedulingLoopTest, DoesNothingOnceStopped) {
  loop_.Feed(scheduler::Synced{});
  loop_.Stop();
  rig_.Run();
  EXPECT_EQ(applied_, 0);
}

}  // namespace
}  // namespace muster::controllers
