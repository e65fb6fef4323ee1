// The parts together, over the real core: from pods and nodes that a watch shows to Bindings.
#include "controllers/manager.h"

#include <gtest/gtest.h>

#include "controllers/entry.h"
#include "controllers/testing/manager_rig.h"
#include "scheduler/framework/plugin.h"

namespace muster::controllers {
namespace {

class ManagerTest : public ::testing::Test, protected testing::ManagerRig {};

TEST_F(ManagerTest, FencesBeforeItLists) {
  api_.Hold("POST bindingjournals");
  Start();
  EXPECT_EQ(api_.Count("WATCH"), 0);
  EXPECT_FALSE(manager_->synced());
  EXPECT_EQ(ready_, 0);
  api_.Release("POST bindingjournals");
  loop_.Advance(100);
  EXPECT_EQ(ready_, 1);
  EXPECT_EQ(api_.Count("WATCH pods"), 1);
  EXPECT_TRUE(manager_->synced());
}

TEST_F(ManagerTest, BindsAGangAndEmptiesItsPage) {
  for (const char* node : {"n1", "n2"}) AddNode(node);
  AddQueue("q", "8");
  AddGroup("g", 2);
  for (const char* pod : {"g-0", "g-1"}) ShowPod(pod, "g");
  AddPages({});
  Start();
  EXPECT_EQ(ready_, 1);
  EXPECT_FALSE(NodeOf("g-0").empty());
  EXPECT_FALSE(NodeOf("g-1").empty());
  EXPECT_NE(NodeOf("g-0"), NodeOf("g-1"));
  EXPECT_EQ(Entries(), 1U);
  loop_.Advance(6'000);
  EXPECT_EQ(Entries(), 0U);
  EXPECT_TRUE(manager_->Explain({.ns = "default", .name = "g"}).has_value());
  EXPECT_EQ(telemetry_.errors(), 0);
}

// After pages were lost, no Binding that only they named may act any more.
TEST_F(ManagerTest, TouchesPendingPodsWhenAPageWasMissing) {
  ShowPod("lone", "");
  Start();
  EXPECT_EQ(api_.Count("PATCH pods/lone/status"), 1);
  ShowPod("lone", "");
  loop_.Advance(100);
  EXPECT_TRUE(manager_->synced());
}

// Nobody watches them, and the API server may have been restored to an older state.
TEST_F(ManagerTest, WritesItsPagesOnceMoreWhenAKindIsListedAnew) {
  Start();
  loop_.Advance(10'000);
  api_.ClearLog();
  api_.Hold("PUT bindingjournals/p-01");
  api_.ListAnew("nodes");
  loop_.Advance(1'000);
  EXPECT_EQ(api_.Count("PUT bindingjournals"), options_.pages);
  EXPECT_FALSE(manager_->synced());
  api_.Release("PUT bindingjournals/p-01");
  loop_.Advance(1'000);
  EXPECT_TRUE(manager_->synced());
  crds::BindingJournal older = api_.pages().at("p-01");
  --older.sequence;
  api_.AddPage(older);
  EXPECT_TRUE(fatal_.empty());
  api_.ListAnew("nodes");
  loop_.Advance(1'000);
  ASSERT_EQ(fatal_.size(), 1U);
  EXPECT_NE(fatal_[0].find("p-01"), std::string::npos);
}

// It was restored after it had answered the Binding, and before the watch showed that.
TEST_F(ManagerTest, LooksAgainAtWhatItKnowsByAnswersAlone) {
  AddNode("n1");
  AddQueue("q", "8");
  Start();
  ShowPod("lone", "");
  loop_.Advance(1'000);
  ASSERT_EQ(NodeOf("lone"), "n1");
  ShowPod("late", "");
  api_.ListAnew("nodes");
  loop_.Advance(5'000);
  EXPECT_EQ(api_.Count("GET pods/lone"), 1);
  EXPECT_EQ(api_.Count("GET pods/late"), 0) << "The core has not heard of it yet.";
  EXPECT_TRUE(manager_->synced());
  api_.pods().at("lone").node = "";
  api_.Refuse("GET pods/lone", 500, "");
  api_.ListAnew("nodes");
  loop_.Advance(500);
  EXPECT_TRUE(fatal_.empty());
  EXPECT_FALSE(manager_->synced());
  loop_.Advance(5'000);
  ASSERT_EQ(fatal_.size(), 1U);
  EXPECT_EQ(fatal_[0], "the API server went back to an older state: pods default/lone");
}

// What the list showed of a pod that was bound before its touch is no ground to decide on: the node
// is taken.
TEST_F(ManagerTest, WaitsUntilTheWatchShowsWhatItHasTouched) {
  AddNode("n1");
  AddQueue("q", "8");
  for (const char* pod : {"early", "late", "gone"}) ShowPod(pod, "");
  api_.Hold("PATCH pods/early/status");
  Start();
  api_.BindAs("p-01/1", "early", "n1");  // By a Binding that only the lost page named.
  api_.Release("PATCH pods/early/status");
  loop_.Advance(10'000);
  ShowPod("late", "");
  DeletePod("gone");
  loop_.Advance(10'000);
  EXPECT_FALSE(manager_->synced());
  EXPECT_EQ(api_.Count("POST pods"), 0);
  ShowPod("early", "");
  loop_.Advance(10'000);
  EXPECT_TRUE(manager_->synced());
  EXPECT_EQ(NodeOf("late"), "") << "n1 was given away twice";
}

// A restored API server has forgotten the touch, and its watch shows nothing.
TEST_F(ManagerTest, TouchesAgainWhatTheWatchDoesNotShow) {
  ShowPod("lone", "");
  Start();
  EXPECT_EQ(api_.Count("PATCH pods/lone/status"), 1);
  loop_.Advance(16'000);
  EXPECT_EQ(api_.Count("PATCH pods/lone/status"), 2);
  EXPECT_FALSE(manager_->synced());
  ShowPod("lone", "");
  loop_.Advance(100);
  EXPECT_TRUE(manager_->synced());
}

// A former life that is slow in giving up an entry of its own tells by its id that the pod which it
// finds on the node was bound by a later entry. So no id is given twice, though nothing is left
// that names it.
TEST_F(ManagerTest, NoIdIsGivenTwice) {
  AddNode("n1");
  AddQueue("q", "8");
  AddPages({});
  const auto bind = [this](const std::string& pod) {
    Start();
    ShowPod(pod, "");
    loop_.Advance(10'000);
    const auto id = JournalId(api_.pods().at(pod).journal);
    EXPECT_EQ(Entries(), 0U);
    DeletePod(pod);
    Kill();
    return id.value_or(0);
  };
  const std::uint64_t first = bind("first");
  EXPECT_GT(first, 0U);
  EXPECT_GT(bind("second"), first);
  api_.pages().clear();
  EXPECT_GT(bind("third"), first + 1);
}

TEST_F(ManagerTest, CompletesAnEntryOnItsNodes) {
  for (const char* node : {"n1", "n2", "n3"}) AddNode(node);
  AddQueue("q", "12");
  AddGroup("g", 2);
  for (const char* pod : {"g-0", "g-1"}) ShowPod(pod, "g");
  AddPages({EntryOfG(41, {{"g-0", "n3"}, {"g-1", "n2"}})});
  Start();
  EXPECT_EQ(NodeOf("g-0"), "n3");
  EXPECT_EQ(NodeOf("g-1"), "n2");
  EXPECT_EQ(api_.pods().at("g-0").journal, "p-01/41");
  ShowPod("lone", "");
  loop_.Advance(100);
  EXPECT_GT(JournalId(api_.pods().at("lone").journal), 41U);
}

// Half bound by a former life, named by no entry, and without room for the rest.
TEST_F(ManagerTest, UndoesAHalfBoundGangAtItsTimeOut) {
  AddNode("n1");
  AddQueue("q", "8");
  AddGroup("g", 2);
  AddPages({});
  ShowHalf("g");
  Start();
  loop_.Advance(299'000);
  EXPECT_EQ(api_.Count("DELETE"), 0);
  EXPECT_EQ(Entries(), 0U);
  loop_.Advance(2'000);
  EXPECT_EQ(api_.Count("DELETE pods/g-0"), 1);
  EXPECT_TRUE(api_.pods().at("g-0").deleting);
  EXPECT_EQ(api_.Count("POST pods/g-1/binding"), 0);
  EXPECT_EQ(Entries(), 0U);
  EXPECT_EQ(telemetry_.errors(), 0);
}

// An entry that stood on a lost page may have been in Abandon, and DELETEs be under way. No later
// life knows better, though it finds all pages.
TEST_F(ManagerTest, WhatALostEntryHasBoundIsOnlyUndone) {
  for (const char* node : {"n1", "n2"}) AddNode(node);
  AddQueue("q", "8");
  AddGroup("g", 2);
  ShowHalf("g");
  Start();
  ShowPod("g-1", "g");  // It was touched.
  for (int life = 0; life < 3; ++life) {
    loop_.Advance(100'000);
    EXPECT_TRUE(manager_->synced());
    EXPECT_EQ(ReasonOf("g"), "BindFailed");
    Kill();
    Start();
  }
  EXPECT_EQ(api_.Count("POST pods"), 0);
  EXPECT_EQ(api_.Count("DELETE"), 0);
  loop_.Advance(301'000);
  EXPECT_EQ(api_.Count("DELETE pods/g-0"), 1);
  // What is bound from now on is written down: it is completed.
  DeletePod("g-0");
  loop_.Advance(60'000);
  (void)api_.AddPod("g-0", "uid-g-0-again");
  ShowPod("g-0", "g");
  loop_.Advance(60'000);
  EXPECT_FALSE(NodeOf("g-0").empty());
  EXPECT_FALSE(NodeOf("g-1").empty());
}

// The same pods, but the gang ran: a member was lost while nobody led (the condition is still
// True), or before that (it is False, and the start has stayed).
class TakeOverOfARun : public ManagerTest, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(, TakeOverOfARun, ::testing::Values("True", "False"));

TEST_P(TakeOverOfARun, ReplacesWhatItHasLost) {
  AddNode("n1");
  AddQueue("q", "12");
  crds::PodGroupStatus status;
  status.start_ms = 1'000;
  status.conditions.emplace_back();
  status.conditions[0].type = "Scheduled";
  status.conditions[0].status = GetParam();
  AddGroup("g", 2, status);
  AddPages({});
  ShowHalf("g");
  Start();
  loop_.Advance(900'000);
  EXPECT_EQ(api_.Count("DELETE"), 0);
  AddNode("n2");
  loop_.Advance(1'000);
  EXPECT_EQ(NodeOf("g-1"), "n2");
  EXPECT_EQ(NodeOf("g-0"), "n1");
  EXPECT_EQ(telemetry_.errors(), 0);
}

TEST_F(ManagerTest, StopsForGoodWhenItIsDeposed) {
  AddNode("n1");
  AddQueue("q", "8");
  Start();
  for (auto& [name, page] : api_.pages()) page.meta.resource_version = api_.Version();
  ShowPod("lone", "");
  loop_.Advance(100);
  EXPECT_EQ(fatal_.size(), 1U);
  EXPECT_FALSE(manager_->synced());
  EXPECT_EQ(api_.Count("POST pods"), 0);
  EXPECT_EQ(telemetry_.errors(), 0) << "that another leads is no error";
}

// A settled entry stays on its page for some seconds. Meanwhile its gang became half bound again,
// and a new entry on another page names what was bound; then the leader was killed.
TEST_F(ManagerTest, TakesTheLaterOfTwoEntriesForOnePod) {
  for (const char* node : {"n1", "n2"}) AddNode(node);
  AddQueue("q", "16");
  AddGroup("g", 2);
  ShowHalf("g");
  AddPages({EntryOfG(42, {{"g-0", "n1"}, {"g-1", "n2"}})}, {EntryOfG(41, {{"g-0", "n1"}})});
  Start();
  EXPECT_TRUE(fatal_.empty());
  EXPECT_TRUE(manager_->synced());
  loop_.Advance(10'000);
  EXPECT_EQ(NodeOf("g-0"), "n1");
  EXPECT_EQ(NodeOf("g-1"), "n2");
  EXPECT_EQ(api_.Count("DELETE"), 0);
  EXPECT_EQ(Entries(), 0U);
}

// Killed between the creation of the pages and the touch: a Binding that only a lost page named may
// still be under way.
TEST_F(ManagerTest, TouchesWhatALifeBeforeHadNoTimeToTouch) {
  ShowPod("lone", "");
  const std::int64_t version = api_.pods().at("lone").version;
  api_.LoseRequest("PATCH pods/lone/status");
  api_.Hold("GET pods/lone");
  Start();
  EXPECT_FALSE(manager_->synced());
  ASSERT_EQ(api_.pages().size(), 2U);
  Kill();
  ASSERT_EQ(api_.pods().at("lone").version, version);
  Start();
  ShowPod("lone", "");
  loop_.Advance(100);
  EXPECT_TRUE(manager_->synced());
  EXPECT_NE(api_.pods().at("lone").version, version);
  EXPECT_EQ(api_.Count("PATCH pods/lone/status"), 2);
  Kill();
  Start();
  EXPECT_TRUE(manager_->synced());
  EXPECT_EQ(api_.Count("PATCH pods/lone/status"), 2);
}

// Nothing is shown of what was bound, as by a watch that is late.
TEST_F(ManagerTest, CountsWhatItHasPromisedBeforeTheWatchShowsIt) {
  AddNode("n1");
  AddQueue("q", "12");
  AddPages({});
  Start();
  ShowPod("first", "");
  loop_.Advance(2'000);
  ASSERT_EQ(NodeOf("first"), "n1");
  for (const char* pod : {"second", "third"}) ShowPod(pod, "");
  loop_.Advance(60'000);
  EXPECT_EQ(NodeOf("second") + NodeOf("third"), "");
  ShowPod("first", "");
  DeletePod("first");
  loop_.Advance(2'000);
  EXPECT_EQ(NodeOf("second") + NodeOf("third"), "n1");
}

// A 404 without a Status: the kind is gone, not the page. It may come back.
TEST_F(ManagerTest, DecidesNothingWhileThePagesAreNotServed) {
  for (const char* node : {"n1", "n2"}) AddNode(node);
  AddQueue("q", "8");
  AddPages({});
  Start();
  EXPECT_TRUE(manager_->synced());
  api_.SetPagesServed(false);
  ShowPod("lone", "");
  loop_.Advance(5'000);
  EXPECT_FALSE(manager_->synced());
  ShowPod("late", "");
  loop_.Advance(60'000);
  EXPECT_EQ(api_.Count("POST pods"), 0);
  EXPECT_EQ(
      manager_->Explain({.ns = "default", .name = "late", .single_pod = true})->status.attempts, 0);
  EXPECT_TRUE(fatal_.empty());
  api_.SetPagesServed(true);
  loop_.Advance(10'000);
  EXPECT_TRUE(manager_->synced());
  EXPECT_FALSE(NodeOf("lone").empty());
  EXPECT_FALSE(NodeOf("late").empty());
}

TEST_F(ManagerTest, IsDeposedWhenAPageIsDeleted) {
  AddNode("n1");
  AddQueue("q", "8");
  AddPages({});
  Start();
  api_.pages().clear();
  ShowPod("lone", "");
  loop_.Advance(100);
  ASSERT_EQ(fatal_.size(), 1U);
  EXPECT_EQ(fatal_[0], "deposed: page p-00 was deleted: page not found");
  EXPECT_EQ(api_.Count("POST"), 0);
}

constexpr const char* kMissing = "pages of the journal were missing";

TEST_F(ManagerTest, SaysWhichPagesWereMissingAndWhenWhatTheyLeftIsUndone) {
  for (const char* node : {"n1", "n2"}) AddNode(node);
  AddQueue("q", "16");
  AddGroup("g", 2);
  ShowHalf("g");
  AddPages({});
  api_.pages().erase("p-01");
  Start();
  ShowPod("g-1", "g");
  loop_.Advance(100);
  EXPECT_EQ(telemetry_.FieldOf(kMissing, "pages"), "p-01");
  EXPECT_EQ(ReasonOf("g"), "BindFailed");
  EXPECT_EQ(MessageOf("g"),
            "1 of 2 members are bound, by an entry of the journal that is lost with its page. They "
            "are deleted at 2026-09-01T00:05:00Z, and the gang is queued again.");
  loop_.Advance(299'000);
  EXPECT_EQ(api_.Count("DELETE"), 0);
  loop_.Advance(2'000);
  EXPECT_EQ(api_.Count("DELETE pods/g-0"), 1);
}

TEST_F(ManagerTest, TellsPagesThatAreAllLostFromAFirstStart) {
  AddNode("n1");
  AddQueue("q", "16");
  Start();
  EXPECT_EQ(telemetry_.FieldOf(kMissing, "pages"), "");
  Kill();
  Start();
  EXPECT_EQ(telemetry_.FieldOf(kMissing, "pages"), "");
  Kill();
  api_.pages().clear();
  AddGroup("g", 2);
  ShowHalf("g");
  Start();
  EXPECT_EQ(telemetry_.FieldOf(kMissing, "pages"), "p-00,p-01");
}

// It is answered by its time-out of 5 s; meanwhile the rest of the cluster is told what it waits
// for.
TEST_F(ManagerTest, ABindingThatHangsHoldsNoStatusOfOthersUp) {
  AddNode("n1");
  AddQueue("q", "16");
  AddPages({});
  Start();
  api_.Hold("POST pods/hangs/binding");
  ShowPod("hangs", "");
  loop_.Advance(100);
  ASSERT_EQ(api_.Count("POST pods/hangs/binding"), 1);
  AddGroup("w", 2);
  ShowPod("w-0", "w");
  loop_.Advance(1'200);
  EXPECT_EQ(api_.Count("PATCH podgroups/w/status"), 1);
  loop_.Advance(2'000);
  EXPECT_EQ(api_.Count("PATCH pods/w-0/status"), 1);
}

// A gang of two, and another instance that leads.
class StandbyManagerTest : public ManagerTest {
 protected:
  StandbyManagerTest() {
    options_.election = LeaderElection{.identity = "me"};
    options_.list_us = 100'000;
    for (const char* node : {"n1", "n2"}) AddNode(node);
    AddQueue("q", "8");
    AddGroup("g", 2);
    for (const char* pod : {"g-0", "g-1"}) ShowPod(pod, "g");
    api_.SetLease("other");
  }
  void StandBy() {
    Start();
    for (std::int64_t i = 0; i < 20; ++i) {
      api_.SetLease("other");
      loop_.Advance(5'000);
    }
  }
  // The Lease is free; until what was listed and kept has been asked for.
  void Lead() {
    api_.SetLease("");
    for (std::int64_t i = 0; i < 600 && api_.Count("LIST pods") == 0; ++i) loop_.Advance(10);
    ASSERT_EQ(api_.Count("LIST pods"), 1);
  }
};

TEST_F(StandbyManagerTest, FollowsAllKindsAndWritesNothing) {
  AddPages({});
  StandBy();
  EXPECT_EQ(api_.Count("WATCH"), 6);
  EXPECT_EQ(api_.Count("GET leases") + api_.Count("WATCH"), std::ssize(api_.log()));
  EXPECT_FALSE(manager_->synced());
  EXPECT_FALSE(manager_->Explain({.ns = "default", .name = "g"}).has_value());
  EXPECT_EQ(api_.pages().at("p-00").holder, "former");
}

TEST_F(StandbyManagerTest, DecidesByWhatItKeptOnceItsWatchHasPassedTheFence) {
  AddPages({});
  StandBy();
  Lead();
  EXPECT_EQ(api_.pages().at("p-00").holder, "me");
  for (const char* pod : {"g-0", "g-1"}) {
    api_.Change(pod);
    ShowPod(pod, "g");
  }
  loop_.Advance(1'000);
  EXPECT_TRUE(manager_->synced());
  EXPECT_EQ(api_.Count("WATCH pods"), 1);
  EXPECT_EQ(api_.Count("WATCH nodes"), 2) << "they are quiet";
  EXPECT_EQ(telemetry_.count("kinds_taken_over_warm"), 1);
  EXPECT_EQ(telemetry_.count("kinds_listed_anew"), 5);
  EXPECT_FALSE(NodeOf("g-0").empty());
  EXPECT_FALSE(NodeOf("g-1").empty());
  EXPECT_EQ(telemetry_.errors(), 0);
}

// The watch is late with a pod that was bound: until then, or until the list that takes its place,
// nothing is decided.
TEST_F(StandbyManagerTest, DecidesNothingByWhatIsOlderThanTheFence) {
  AddPages({});
  ShowPod("lone", "");
  DeleteGroup("g");
  StandBy();
  api_.Bind("g-0", "n1");
  api_.Bind("g-1", "n2");
  Lead();
  loop_.Advance(100);
  EXPECT_FALSE(manager_->synced());
  EXPECT_EQ(api_.Count("POST pods"), 0);
  for (const char* pod : {"g-0", "g-1"}) ShowPod(pod, "");
  loop_.Advance(5'000);
  EXPECT_TRUE(manager_->synced());
  EXPECT_EQ(NodeOf("lone"), "") << "a node was given away twice";
}

TEST_F(StandbyManagerTest, CompletesAnEntryOnItsNodes) {
  AddPages({EntryOfG(41, {{"g-0", "n2"}, {"g-1", "n1"}})});
  StandBy();
  api_.BindAs("p-01/41", "g-0", "n2");
  Lead();
  ShowPod("g-0", "g");
  loop_.Advance(5'000);
  EXPECT_EQ(NodeOf("g-0"), "n2");
  EXPECT_EQ(NodeOf("g-1"), "n1");
  EXPECT_EQ(api_.pods().at("g-1").journal, "p-01/41");
}

TEST_F(StandbyManagerTest, TouchesPendingPodsWhenAPageWasMissing) {
  StandBy();
  api_.SetLease("");
  loop_.Advance(10'000);
  EXPECT_EQ(api_.Count("PATCH pods/g-0/status"), 1);
  EXPECT_EQ(api_.Count("PATCH pods/g-1/status"), 1);
  EXPECT_FALSE(manager_->synced());
  for (const char* pod : {"g-0", "g-1"}) ShowPod(pod, "g");
  loop_.Advance(1'000);
  EXPECT_TRUE(manager_->synced());
}

// Says in which order things happen.
class Diary final : public scheduler::Simple<Diary>, public scheduler::PreBindPlugin {
 public:
  struct Pages {
    const testing::FakeApi* api = nullptr;
    std::vector<std::int64_t> bindings_before;  // At each call.
  };
  void PreBind(const scheduler::GangView& /*gang*/, const scheduler::Assignment& /*assignment*/,
               std::map<std::string, std::string>& annotations) const override {
    const auto pages = Open().lock();
    if (!pages) return;
    pages->bindings_before.push_back(pages->api->Count("POST pods"));
    annotations["test/prepared"] = "yes";
  }
  // Of the test that runs.
  static std::weak_ptr<Pages>& Open() {
    static std::weak_ptr<Pages> pages;
    return pages;
  }
};
constexpr scheduler::PluginDescriptor kDiary = scheduler::DescribePlugin<Diary>("Diary");

TEST_F(ManagerTest, PreparesEveryMemberBeforeTheFirstBinding) {
  const auto pages = std::make_shared<Diary::Pages>();
  pages->api = &api_;
  Diary::Open() = pages;
  ASSERT_TRUE(options_.policy.Enable({.plugin = &kDiary, .args = {}}).ok());
  for (const char* node : {"n1", "n2", "n3"}) AddNode(node);
  AddQueue("q", "12");
  AddGroup("g", 3);
  for (const char* pod : {"g-0", "g-1", "g-2"}) ShowPod(pod, "g");
  AddPages({});
  Start();
  EXPECT_EQ(pages->bindings_before, (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(api_.Count("POST pods"), 3);
  for (const char* pod : {"g-0", "g-1", "g-2"}) {
    EXPECT_EQ(testing::TextField(api_.Body(std::string("POST pods/") + pod), "test/prepared"),
              "yes");
  }
}

}  // namespace
}  // namespace muster::controllers
