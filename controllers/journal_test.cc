#include "controllers/journal.h"

#include <set>

#include <gtest/gtest.h>

#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

using testing::ProtocolRig;

class JournalTest : public ::testing::Test {
 protected:
  void Add(std::uint64_t id, std::int32_t pods = 1) {
    crds::JournalEntry entry = ProtocolRig::PageEntry(id, pods);
    for (auto& node : entry.nodes) node.pods[0].uid += "-" + std::to_string(id);
    rig_.journal->Add({std::move(entry)}, [this, id] { stored_.push_back(id); });
  }
  void AddParts(std::uint64_t id, std::int32_t parts) {
    EntryParts all;
    for (std::int32_t part = 1; part <= parts; ++part) {
      all.push_back(ProtocolRig::PageEntry(id, 1));
      all.back().part = part;
      all.back().parts = parts;
      all.back().nodes[0].pods[0].uid += "-" + std::to_string(id) + "-" + std::to_string(part);
    }
    rig_.journal->Add(std::move(all), [this, id] { stored_.push_back(id); });
  }
  [[nodiscard]] std::size_t On(const std::string& page) { return rig_.page(page).entries.size(); }

  ProtocolRig rig_{3};
  std::vector<std::uint64_t> stored_;
};

TEST_F(JournalTest, PutsOneWaveIntoOnePut) {
  for (std::uint64_t id = 1; id <= 20; ++id) Add(id);
  rig_.Run();
  EXPECT_EQ(rig_.api.Count("PUT"), 1);
  EXPECT_EQ(On("p-00"), 20U);
  EXPECT_EQ(stored_.size(), 20U);
  EXPECT_EQ(rig_.journal->NameOf({.id = 7}), "p-00/7");
}

TEST_F(JournalTest, EndsAWaveAt256Pods) {
  for (std::uint64_t id = 1; id <= 3; ++id) Add(id, 128);
  rig_.Run();
  EXPECT_EQ(On("p-00"), 2U);
  EXPECT_EQ(On("p-01"), 1U);
}

TEST_F(JournalTest, TakesTheLowestPageWithoutAPutUnderWay) {
  rig_.api.Hold("PUT bindingjournals/p-00");
  Add(1);
  rig_.Run();
  Add(2);
  rig_.Advance(5);
  EXPECT_EQ(On("p-01"), 1U);
  EXPECT_EQ(stored_, std::vector<std::uint64_t>{2});
  rig_.api.Release("PUT bindingjournals/p-00");
  rig_.Run();
  Add(3);
  rig_.Run();
  EXPECT_EQ(On("p-00"), 2U);
}

TEST_F(JournalTest, GathersForFiveMsWhileAPutIsUnderWay) {
  rig_.api.Hold("PUT bindingjournals/p-00");
  Add(1);
  rig_.Run();
  Add(2);
  rig_.Advance(4);
  Add(3);
  EXPECT_EQ(rig_.api.Count("PUT"), 1);
  rig_.Advance(1);
  EXPECT_EQ(rig_.api.Count("PUT"), 2);
  EXPECT_EQ(On("p-01"), 2U);
}

TEST_F(JournalTest, DoesNotHoldBackAWaveOf256Pods) {
  rig_.api.Hold("PUT bindingjournals/p-00");
  Add(1);
  rig_.Run();
  Add(2, 200);
  Add(3, 56);
  rig_.Run();
  EXPECT_EQ(On("p-01"), 2U);
}

TEST_F(JournalTest, IsFullUntilAPageIsFree) {
  for (const char* page : {"p-00", "p-01", "p-02"}) {
    rig_.api.Hold(std::string("PUT bindingjournals/") + page);
  }
  for (std::uint64_t id = 1; id <= 3; ++id) {
    Add(id);
    rig_.Advance(5);
  }
  EXPECT_FALSE(rig_.journal->full());
  Add(4);
  rig_.Advance(5);
  EXPECT_TRUE(rig_.journal->full());
  rig_.api.Release("PUT bindingjournals/p-01");
  rig_.Advance(5);
  EXPECT_FALSE(rig_.journal->full());
  EXPECT_EQ(rig_.journal->NameOf({.id = 4}), "p-01/4");
}

TEST_F(JournalTest, IsNotFullWhenNobodyWaitsAnyMore) {
  for (const char* page : {"p-00", "p-01", "p-02"}) {
    rig_.api.Hold(std::string("PUT bindingjournals/") + page);
  }
  for (std::uint64_t id = 1; id <= 4; ++id) {
    Add(id);
    rig_.Advance(5);
  }
  ASSERT_TRUE(rig_.journal->full());
  EXPECT_TRUE(rig_.journal->Withdraw(4));
  EXPECT_FALSE(rig_.journal->full());
}

TEST_F(JournalTest, HoldsAtMostOnePartOfAnEntryOnAPage) {
  EXPECT_TRUE(rig_.journal->CanHold(3));
  EXPECT_FALSE(rig_.journal->CanHold(4));
  AddParts(1, 3);
  AddParts(2, 2);
  rig_.Run();
  EXPECT_EQ(On("p-00") + On("p-01") + On("p-02"), 5U);
  for (const char* page : {"p-00", "p-01", "p-02"}) {
    std::set<std::uint64_t> ids;
    for (const crds::JournalEntry& entry : rig_.page(page).entries) {
      EXPECT_TRUE(ids.insert(entry.id).second) << page << ": " << entry.id;
    }
  }
  EXPECT_EQ(rig_.journal->NameOf({.id = 1, .part = 3}), "p-02/1");
}

TEST_F(JournalTest, IsStoredWhenEveryPartIs) {
  rig_.api.Hold("PUT bindingjournals/p-01");
  AddParts(1, 3);
  rig_.Run();
  EXPECT_EQ(On("p-02"), 1U);
  EXPECT_TRUE(stored_.empty());
  EXPECT_FALSE(rig_.journal->Withdraw(1));
  rig_.api.Release("PUT bindingjournals/p-01");
  rig_.Run();
  EXPECT_EQ(stored_, std::vector<std::uint64_t>{1});
}

// One part is stored, one is under way, one waits for a page.
TEST_F(JournalTest, GivesUpEveryPartWhereverItIs) {
  AddParts(5, 3);
  rig_.Run();
  rig_.api.Hold("PUT bindingjournals/p-02");
  rig_.journal->Close(5, Journal::When::kNow, nullptr);
  rig_.Run();
  rig_.api.Hold("PUT bindingjournals/p-01");
  AddParts(1, 3);
  rig_.Advance(100);
  ASSERT_TRUE(rig_.journal->full());
  bool given_up = false;
  rig_.journal->Abandon(1, "BindTimeout", [&given_up] { given_up = true; });
  for (const char* page : {"p-01", "p-02"}) {
    rig_.Advance(1'000);
    EXPECT_FALSE(given_up);
    rig_.api.Release(std::string("PUT bindingjournals/") + page);
  }
  rig_.Advance(1'000);
  EXPECT_TRUE(given_up);
  for (const char* page : {"p-00", "p-01", "p-02"}) {
    ASSERT_EQ(On(page), 1U) << page;
    EXPECT_TRUE(rig_.page(page).entries[0].abandon) << page;
  }
  EXPECT_EQ(stored_, std::vector<std::uint64_t>{5});  // Never as a Bind.
}

TEST_F(JournalTest, HasLeftWhenEveryPartHas) {
  AddParts(1, 2);
  rig_.Run();
  rig_.api.Hold("PUT bindingjournals/p-01");
  bool left = false;
  rig_.journal->Close(1, Journal::When::kNow, [&left] { left = true; });
  rig_.Run();
  EXPECT_EQ(On("p-00"), 0U);
  EXPECT_FALSE(left);
  rig_.api.Release("PUT bindingjournals/p-01");
  rig_.Run();
  EXPECT_TRUE(left);
}

TEST_F(JournalTest, WritesANewVersionOntoThePageOfThePart) {
  AddParts(1, 2);
  rig_.Run();
  rig_.api.ClearLog();
  rig_.journal->SetVersion({.id = 1, .part = 2}, "u0-1-2", "900", nullptr);
  rig_.Run();
  EXPECT_EQ(rig_.api.log(), std::vector<std::string>{"PUT bindingjournals/p-01"});
  EXPECT_EQ(rig_.page("p-01").entries[0].nodes[0].pods[0].resource_version, "900");
}

TEST_F(JournalTest, PutsAReplacementOntoThePageOfThePart) {
  AddParts(1, 2);
  rig_.Run();
  rig_.journal->Replace({.id = 1, .part = 2}, "u0-1-2",
                        {.node = "n0",
                         .node_uid = "nu0",
                         .pod = {.name = "train-9", .uid = "u9", .resource_version = "300"}},
                        [this] { stored_.push_back(9); });
  rig_.Run();
  EXPECT_EQ(rig_.page("p-00").entries[0].nodes[0].pods[0].uid, "u0-1-1");
  EXPECT_EQ(rig_.page("p-01").entries[0].nodes[0].pods[0].uid, "u9");
  EXPECT_EQ(stored_, (std::vector<std::uint64_t>{1, 9}));
}

TEST_F(JournalTest, SaysWhetherThePagesAreServed) {
  rig_.api.SetPagesServed(false);
  Add(1);
  rig_.Run();
  EXPECT_FALSE(rig_.journal->served());
  EXPECT_TRUE(rig_.deposed.empty());
  rig_.api.SetPagesServed(true);
  rig_.Advance(10'000);
  EXPECT_TRUE(rig_.journal->served());
  EXPECT_EQ(stored_, std::vector<std::uint64_t>{1});
}

TEST_F(JournalTest, LeavesAFullPageAlone) {
  Add(1, 9'000);
  rig_.Run();
  Add(2, 9'000);
  rig_.Run();
  EXPECT_EQ(On("p-00"), 1U);
  EXPECT_EQ(On("p-01"), 1U);
}

TEST_F(JournalTest, WithdrawsWhatIsOnNoPage) {
  Add(1);
  EXPECT_TRUE(rig_.journal->Withdraw(1));
  rig_.Run();
  EXPECT_EQ(rig_.api.Count("PUT"), 0);
  Add(2);
  rig_.api.Hold("PUT");
  rig_.Run();
  EXPECT_FALSE(rig_.journal->Withdraw(2));
}

TEST_F(JournalTest, WritesNewVersionsOfManyMembersAtOnce) {
  Add(1, 3);
  rig_.Run();
  int stored = 0;
  for (const char* uid : {"u0-1", "u2-1"}) {
    rig_.journal->SetVersion({.id = 1}, uid, "900", [&stored] { ++stored; });
  }
  rig_.Run();
  EXPECT_EQ(stored, 2);
  EXPECT_EQ(rig_.api.Count("PUT"), 2);
  const auto& nodes = rig_.page("p-00").entries[0].nodes;
  EXPECT_EQ(nodes[0].pods[0].resource_version, "900");
  EXPECT_EQ(nodes[1].pods[0].resource_version, "104");
  EXPECT_EQ(nodes[2].pods[0].resource_version, "900");
}

TEST_F(JournalTest, WritesAnAbandon) {
  Add(1);
  rig_.Run();
  bool stored = false;
  rig_.journal->Abandon(1, "BindTimeout", [&stored] { stored = true; });
  rig_.Run();
  EXPECT_TRUE(stored);
  EXPECT_TRUE(rig_.page("p-00").entries[0].abandon);
  EXPECT_EQ(rig_.page("p-00").entries[0].why, "BindTimeout");
}

TEST_F(JournalTest, StoresAnEntryThatIsGivenUpWhileItWaitsAsGivenUp) {
  Add(1);
  bool stored = false;
  rig_.journal->Abandon(1, "BindTimeout", [&stored] { stored = true; });
  rig_.Run();
  EXPECT_TRUE(stored);
  EXPECT_EQ(rig_.api.Count("PUT"), 1);
  EXPECT_TRUE(rig_.page("p-00").entries[0].abandon);
}

TEST_F(JournalTest, TakesASettledEntryOffAfterFiveSecondsOfQuiet) {
  Add(1);
  rig_.Run();
  rig_.journal->Close(1, Journal::When::kLater, nullptr);
  rig_.Advance(4'999);
  EXPECT_EQ(On("p-00"), 1U);
  rig_.Advance(1);
  EXPECT_EQ(On("p-00"), 0U);
}

TEST_F(JournalTest, TakesASettledEntryOffWithTheNextPut) {
  Add(1);
  rig_.Run();
  rig_.journal->Close(1, Journal::When::kLater, nullptr);
  Add(2);
  rig_.Run();
  ASSERT_EQ(On("p-00"), 1U);
  EXPECT_EQ(rig_.page("p-00").entries[0].id, 2U);
}

TEST_F(JournalTest, TakesAnAbandonedEntryOffAtOnce) {
  Add(1);
  rig_.Run();
  bool stored = false;
  rig_.journal->Close(1, Journal::When::kNow, [&stored] { stored = true; });
  EXPECT_FALSE(stored);
  rig_.Run();
  EXPECT_TRUE(stored);
  EXPECT_EQ(On("p-00"), 0U);
}

TEST(JournalPages, BeyondTheUsableTakeNothingNew) {
  testing::ProtocolRig rig(1);
  Journal journal({.writer = rig.writer,
                   .loop = rig.loop,
                   .telemetry = rig.telemetry,
                   .holder = ProtocolRig::kHolder,
                   .deposed = [](const std::string&) {},
                   .room = [] {}});
  crds::BindingJournal old = rig.page("p-00");
  old.meta.name = "p-16";
  old.entries = {ProtocolRig::PageEntry(9, 1)};
  rig.api.AddPage(old);
  journal.Adopt({rig.page("p-00"), rig.page("p-16")}, 1, 0);
  rig.api.Hold("PUT bindingjournals/p-00");
  journal.Add({ProtocolRig::PageEntry(10, 1)}, nullptr);
  rig.Run();
  journal.Add({ProtocolRig::PageEntry(11, 1)}, nullptr);
  rig.Advance(5);
  EXPECT_TRUE(journal.full());
  EXPECT_EQ(journal.NameOf({.id = 9}), "p-16/9");
  journal.Close(9, Journal::When::kNow, nullptr);
  rig.Run();
  EXPECT_TRUE(rig.page("p-16").entries.empty());
}

}  // namespace
}  // namespace muster::controllers
