// The fence: every page is written by this holder before anything is listed.
#include "controllers/recovery.h"

#include <gtest/gtest.h>

#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

using testing::ProtocolRig;
using testing::StatusBody;

class RecoveryTest : public ::testing::Test {
 protected:
  void AddPage(const std::string& name, std::vector<crds::JournalEntry> entries,
               std::int64_t sequence = 9) {
    crds::BindingJournal page;
    page.meta.ns = "muster-system";
    page.meta.name = name;
    page.holder = "former";
    page.sequence = sequence;
    page.entries = std::move(entries);
    api_.AddPage(page);
  }
  [[nodiscard]] bool done() const { return found_.has_value(); }
  // What another life finds after this one, which is to use so many pages; nullopt: nothing that it
  // can read.
  std::optional<Recovery::Found> Next(std::int32_t usable = 2) {
    std::optional<Recovery::Found> found;
    Recovery recovery({.writer = writer_,
                       .loop = loop_,
                       .telemetry = telemetry_,
                       .ns = "muster-system",
                       .holder = "me",
                       .pages = usable,
                       .unreadable = [this](const std::string& why) { unreadable_.push_back(why); },
                       .done = [&found](Recovery::Found pages) { found = std::move(pages); }});
    recovery.Start(0);
    loop_.Advance(1'000);
    return found;
  }

  testing::ManualLoop loop_;
  testing::FakeApi api_{loop_};
  testing::FakeTelemetry telemetry_;
  Writer writer_{api_, loop_, {}};
  std::vector<std::string> unreadable_;
  std::optional<Recovery::Found> found_;
  Recovery recovery_{{.writer = writer_,
                      .loop = loop_,
                      .telemetry = telemetry_,
                      .ns = "muster-system",
                      .holder = "me",
                      .pages = 2,
                      .unreadable = [this](const std::string& why) { unreadable_.push_back(why); },
                      .done = [this](Recovery::Found found) { found_ = std::move(found); }}};
};

TEST_F(RecoveryTest, CreatesThePagesOfAFreshCluster) {
  recovery_.Start(0);
  loop_.Run();
  ASSERT_TRUE(done());
  EXPECT_TRUE(found_->created);
  EXPECT_EQ(found_->missing, (std::vector<std::string>{"p-00", "p-01"}));
  EXPECT_EQ(found_->usable, 2U);
  ASSERT_EQ(found_->pages.size(), 2U);
  EXPECT_EQ(found_->pages[1], api_.pages().at("p-01"));
  EXPECT_EQ(api_.pages().at("p-00").holder, "me");
}

TEST_F(RecoveryTest, WritesEveryPageWithRaisedSequenceAndUnchangedEntries) {
  AddPage("p-00", {ProtocolRig::PageEntry(3, 2)});
  AddPage("p-01", {});
  recovery_.Start(0);
  loop_.Run();
  ASSERT_TRUE(done());
  EXPECT_FALSE(found_->created);
  EXPECT_EQ(api_.Count("PUT"), 2);
  const crds::BindingJournal& page = api_.pages().at("p-00");
  EXPECT_EQ(page.holder, "me");
  EXPECT_EQ(page.sequence, 10);
  EXPECT_EQ(page.entries, std::vector{ProtocolRig::PageEntry(3, 2)});
  EXPECT_EQ(found_->pages[0], page);
}

TEST_F(RecoveryTest, FencesTheSameIdentityToo) {
  AddPage("p-00", {});
  AddPage("p-01", {});
  api_.pages().at("p-00").holder = "me";
  const std::string before = api_.pages().at("p-00").meta.resource_version;
  recovery_.Start(0);
  loop_.Run();
  EXPECT_NE(api_.pages().at("p-00").meta.resource_version, before);
}

TEST_F(RecoveryTest, IsDoneOnlyWhenEveryPageIsFenced) {
  AddPage("p-00", {});
  AddPage("p-01", {});
  api_.Hold("PUT bindingjournals/p-01");
  recovery_.Start(0);
  loop_.Advance(1'000);
  EXPECT_FALSE(done());
  api_.Release("PUT bindingjournals/p-01");
  loop_.Run();
  EXPECT_TRUE(done());
}

TEST_F(RecoveryTest, FencesTheFirstPageBeforeAllOthers) {
  AddPage("p-00", {});
  AddPage("p-01", {});
  api_.Hold("PUT bindingjournals/p-00");
  recovery_.Start(0);
  loop_.Advance(1'000);
  EXPECT_EQ(api_.Count("PUT bindingjournals/p-01"), 0);
  api_.Release("PUT bindingjournals/p-00");
  loop_.Run();
  EXPECT_TRUE(done());
}

// Of two that fence at once one may have the last word on p-00 and the other on p-01. Both would
// lead.
TEST_F(RecoveryTest, BeginsAnewIfAnotherHasFencedTheFirstPageMeanwhile) {
  AddPage("p-00", {});
  AddPage("p-01", {});
  api_.Hold("PUT bindingjournals/p-01");
  recovery_.Start(0);
  loop_.Advance(1'000);
  AddPage("p-00", {ProtocolRig::PageEntry(5, 1)}, 20);  // The other's.
  api_.Release("PUT bindingjournals/p-01");
  loop_.Advance(1'000);
  ASSERT_TRUE(done());
  EXPECT_EQ(found_->pages[0].entries, std::vector{ProtocolRig::PageEntry(5, 1)});
  EXPECT_EQ(api_.pages().at("p-00").sequence, 21);
  EXPECT_EQ(api_.pages().at("p-01").sequence, 11);
}

TEST_F(RecoveryTest, BeginsAnewIfTheFirstPageIsGoneMeanwhile) {
  AddPage("p-00", {});
  AddPage("p-01", {});
  api_.Hold("PUT bindingjournals/p-01");
  recovery_.Start(0);
  loop_.Advance(1'000);
  api_.pages().erase("p-00");
  api_.Release("PUT bindingjournals/p-01");
  loop_.Advance(1'000);
  ASSERT_TRUE(done());
  EXPECT_TRUE(found_->created);
}

TEST_F(RecoveryTest, ReadsAndRepeatsAfterAConflict) {
  AddPage("p-00", {});
  AddPage("p-01", {});
  api_.Hold("PUT bindingjournals/p-00");
  recovery_.Start(0);
  loop_.Run();
  AddPage("p-00", {ProtocolRig::PageEntry(5, 1)}, 20);  // The last PUT of a former life.
  api_.Release("PUT bindingjournals/p-00");
  loop_.Advance(1'000);
  ASSERT_TRUE(done());
  EXPECT_EQ(found_->pages[0].entries, std::vector{ProtocolRig::PageEntry(5, 1)});
  EXPECT_EQ(api_.pages().at("p-00").sequence, 21);
}

TEST_F(RecoveryTest, ReadsBackAFenceWithoutAnswer) {
  AddPage("p-00", {ProtocolRig::PageEntry(3, 1)});
  AddPage("p-01", {});
  api_.LoseAnswer("PUT bindingjournals/p-00");
  api_.LoseRequest("PUT bindingjournals/p-01");
  recovery_.Start(0);
  loop_.Advance(1'000);
  ASSERT_TRUE(done());
  EXPECT_EQ(api_.Count("PUT bindingjournals/p-00"), 1);
  EXPECT_EQ(api_.Count("PUT bindingjournals/p-01"), 2);
  EXPECT_EQ(found_->pages[0], api_.pages().at("p-00"));
  EXPECT_EQ(found_->pages[1], api_.pages().at("p-01"));
}

TEST_F(RecoveryTest, CreatesAPageThatGoesBetweenListAndFence) {
  AddPage("p-00", {});
  AddPage("p-01", {});
  api_.Hold("PUT bindingjournals/p-00");
  recovery_.Start(0);
  loop_.Run();
  api_.pages().erase("p-00");
  api_.Release("PUT bindingjournals/p-00");
  loop_.Advance(1'000);
  ASSERT_TRUE(done());
  EXPECT_TRUE(found_->created);
}

TEST_F(RecoveryTest, ReadsBackACreateWithoutAnswer) {
  api_.LoseAnswer("POST bindingjournals");
  api_.LoseRequest("POST bindingjournals");
  recovery_.Start(0);
  loop_.Advance(1'000);
  ASSERT_TRUE(done());
  EXPECT_EQ(api_.Count("POST"), 3);
  EXPECT_TRUE(found_->created);
}

TEST_F(RecoveryTest, FencesPagesBeyondTheUsable) {
  AddPage("p-00", {});
  AddPage("p-01", {});
  AddPage("p-07", {ProtocolRig::PageEntry(3, 1)});
  recovery_.Start(0);
  loop_.Run();
  ASSERT_TRUE(done());
  EXPECT_EQ(found_->usable, 2U);
  ASSERT_EQ(found_->pages.size(), 3U);
  EXPECT_EQ(found_->pages[2].entries.size(), 1U);
  EXPECT_EQ(api_.pages().at("p-07").holder, "me");
}

// A plain 404 is never an empty list: nothing is created over pages that are not served.
TEST_F(RecoveryTest, WaitsUntilTheKindIsServed) {
  api_.SetPagesServed(false);
  recovery_.Start(0);
  loop_.Advance(3'000);
  EXPECT_FALSE(done());
  EXPECT_FALSE(recovery_.served());
  EXPECT_EQ(api_.Count("POST"), 0);
  api_.SetPagesServed(true);
  loop_.Advance(6'000);
  EXPECT_TRUE(done());
  EXPECT_TRUE(recovery_.served());
}

TEST_F(RecoveryTest, StopsAtAPageThatCannotBeRead) {
  api_.Refuse("LIST", 200,
              R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"p-00",)"
              R"("resourceVersion":"7"},"spec":{"holder":"x","sequence":1,)"
              R"("entries":"{\"v\":2,\"e\":[]}"}}]})");
  recovery_.Start(0);
  loop_.Run();
  EXPECT_EQ(unreadable_.size(), 1U);
  EXPECT_EQ(api_.Count("PUT") + api_.Count("POST"), 0);
}

TEST_F(RecoveryTest, IdsBeginAboveWhatAnyPutBeforeCanHaveStored) {
  AddPage("p-00", {ProtocolRig::PageEntry(3, 1)});
  AddPage("p-01", {ProtocolRig::PageEntry(9'000'000'000, 1)});
  recovery_.Start(0);
  loop_.Run();
  ASSERT_TRUE(done());
  EXPECT_EQ(found_->first_id, 9'000'000'001U);
  EXPECT_EQ(found_->intact_from, 0U);
  api_.pages().at("p-01").entries.clear();
  api_.pages().at("p-01").meta.annotations["muster.dev/intact-from"] = "77";
  const auto found = Next();
  EXPECT_EQ(found->first_id, 1024 * std::stoull(api_.pages().at("p-01").meta.resource_version));
  EXPECT_EQ(found->intact_from, 77U);
}

TEST_F(RecoveryTest, StopsAtNumbersThatAreNone) {
  AddPage("p-00", {});
  AddPage("p-01", {});
  api_.pages().at("p-01").meta.annotations["muster.dev/intact-from"] = "7x";
  recovery_.Start(0);
  loop_.Run();
  EXPECT_EQ(unreadable_,
            std::vector<std::string>{"page p-01: annotation muster.dev/intact-from is no number"});
  api_.Refuse("PUT bindingjournals/p-01", 200,
              R"({"metadata":{"name":"p-01","resourceVersion":"v7"},)"
              R"("spec":{"holder":"me","sequence":9,"entries":"{\"v\":1,\"e\":[]}"}})");
  EXPECT_FALSE(Next());
  ASSERT_EQ(unreadable_.size(), 2U);
  EXPECT_EQ(unreadable_[1], "page p-01: metadata.resourceVersion \"v7\" is no number below 2^43");
}

TEST_F(RecoveryTest, StopsAtEntriesThatContradict) {
  crds::JournalEntry empty = ProtocolRig::PageEntry(3, 1);
  empty.nodes.clear();
  AddPage("p-00", {empty});
  AddPage("p-01", {});
  recovery_.Start(0);
  loop_.Run();
  EXPECT_EQ(unreadable_, std::vector<std::string>{"page p-00: entry 3 names no pod"});
  EXPECT_FALSE(done());
}

// Killed after it had created the pages, before it had touched anything.
TEST_F(RecoveryTest, KnowsPagesOverWhichNothingWasTouchedYet) {
  recovery_.Start(0);
  loop_.Run();
  ASSERT_TRUE(done());
  EXPECT_TRUE(Next()->created);
  EXPECT_TRUE(Next()->created);  // The fence in between has kept it.
  for (auto& [name, page] : api_.pages()) page.meta.annotations.clear();
  EXPECT_FALSE(Next()->created);
}

// Who had to make the Lease cannot know whether somebody still leads by the one that is gone.
TEST_F(RecoveryTest, WaitsBeforeItFencesWhatAnotherMayStillWrite) {
  AddPage("p-00", {});
  recovery_.Start(15'000);
  loop_.Advance(14'999);
  EXPECT_EQ(api_.Count("PUT"), 0);
  EXPECT_EQ(api_.Count("POST"), 0);
  loop_.Advance(1);
  loop_.Run();
  EXPECT_TRUE(done());
  EXPECT_EQ(api_.Count("PUT bindingjournals/p-00"), 1);
}

TEST_F(RecoveryTest, WaitsForNobodyWhereThereWasNoPage) {
  recovery_.Start(15'000);
  loop_.Run();
  EXPECT_TRUE(done());
}

TEST_F(RecoveryTest, PagesThatNeverWereAreNotLost) {
  recovery_.Start(0);
  loop_.Run();
  for (auto& [name, page] : api_.pages()) page.meta.annotations.erase("muster.dev/untouched");
  const auto more = Next(4);
  ASSERT_TRUE(more);
  EXPECT_FALSE(more->created);
  EXPECT_EQ(more->missing, std::vector<std::string>{});
  EXPECT_EQ(more->usable, 4U);
  EXPECT_EQ(more->pages.size(), 4U);
  EXPECT_EQ(api_.pages().at("p-03").meta.annotations.count("muster.dev/untouched"), 0U);
  EXPECT_EQ(api_.pages().at("p-00").meta.annotations.at("muster.dev/pages"), "4");
}

TEST_F(RecoveryTest, PagesThatAreUsedNoMoreAreReadAndMissed) {
  AddPage("p-00", {});
  api_.pages().at("p-00").meta.annotations["muster.dev/pages"] = "4";
  for (const char* name : {"p-01", "p-02"}) AddPage(name, {});
  AddPage("p-03", {ProtocolRig::PageEntry(3, 1)});
  auto fewer = Next(2);
  EXPECT_FALSE(fewer->created);
  EXPECT_EQ(fewer->usable, 2U);
  ASSERT_EQ(fewer->pages.size(), 4U);
  EXPECT_EQ(fewer->pages[3].entries.size(), 1U);
  EXPECT_EQ(api_.pages().at("p-00").meta.annotations.at("muster.dev/pages"), "4");
  api_.pages().erase("p-03");
  fewer = Next(2);
  EXPECT_TRUE(fewer->created);
  EXPECT_EQ(fewer->missing, std::vector<std::string>{"p-03"});
}

// As an older Muster left it: whichever page is missing may be lost.
TEST_F(RecoveryTest, WithoutANumberOnTheFirstPageNoneIsNew) {
  AddPage("p-00", {});
  AddPage("p-01", {});
  EXPECT_EQ(Next(4)->missing, (std::vector<std::string>{"p-02", "p-03"}));
}

// Killed when p-00 said it and not all were made.
TEST_F(RecoveryTest, ThoseThatTheFirstPageSpeaksOfMayBeLost) {
  AddPage("p-00", {});
  api_.pages().at("p-00").meta.annotations["muster.dev/pages"] = "4";
  for (const char* name : {"p-01", "p-02"}) AddPage(name, {});
  EXPECT_EQ(Next(4)->missing, std::vector<std::string>{"p-03"});
}

// Another that uses more pages has passed the gate between the list and the fence.
TEST_F(RecoveryTest, ListsAgainBehindTheGate) {
  AddPage("p-00", {});
  AddPage("p-01", {});
  api_.Hold("PUT bindingjournals/p-00");
  recovery_.Start(0);
  loop_.Advance(1'000);
  AddPage("p-03", {ProtocolRig::PageEntry(5, 1)});
  api_.Release("PUT bindingjournals/p-00");
  loop_.Run();
  ASSERT_TRUE(done());
  ASSERT_EQ(found_->pages.size(), 3U);
  EXPECT_EQ(found_->pages[2].entries.size(), 1U);
  EXPECT_EQ(api_.pages().at("p-03").holder, "me");
}

TEST_F(RecoveryTest, ANewPageThatAnotherHasMadeMeanwhileIsFenced) {
  recovery_.Start(0);
  loop_.Run();
  for (auto& [name, page] : api_.pages()) page.meta.annotations.erase("muster.dev/untouched");
  api_.LoseAnswer("POST bindingjournals");
  const auto more = Next(3);
  ASSERT_TRUE(more);
  EXPECT_FALSE(more->created);
  EXPECT_EQ(more->pages[2], api_.pages().at("p-02"));
  EXPECT_EQ(Next(1)->pages.size(), 3U);
}

TEST_F(RecoveryTest, OnePageIsEnough) {
  ASSERT_TRUE(Next(1));
  EXPECT_EQ(api_.pages().size(), 1U);
}

TEST_F(RecoveryTest, StopsAtANumberOfPagesThatIsNone) {
  for (const char* number : {"x", "0", "-1", "65", "4294967297"}) {
    AddPage("p-00", {});
    api_.pages().at("p-00").meta.annotations["muster.dev/pages"] = number;
    EXPECT_FALSE(Next()) << number;
    EXPECT_EQ(unreadable_.back(),
              "page p-00: annotation muster.dev/pages is no number from 1 to 64");
  }
}

}  // namespace
}  // namespace muster::controllers
