#include "controllers/journal_page.h"

#include <gtest/gtest.h>

#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

using testing::ProtocolRig;
using testing::StatusBody;

// One page over the fake API, with a counter of what was stored.
class JournalPageTest : public ::testing::Test {
 protected:
  JournalPageTest() {
    crds::BindingJournal page;
    page.meta.ns = "muster-system";
    page.meta.name = "p-00";
    page.holder = "me";
    page.sequence = 7;
    api_.AddPage(page);
    page_ = std::make_unique<JournalPage>(world_, api_.pages().at("p-00"));
  }

  void PutEntry(std::uint64_t id) {
    page_->Put(ProtocolRig::PageEntry(id, 1), [this] { ++stored_; });
    page_->Flush();
  }
  [[nodiscard]] crds::BindingJournal& server() { return api_.pages().at("p-00"); }
  void Write(std::int64_t sequence, std::vector<crds::JournalEntry> entries,
             const std::string& holder = "me") {
    crds::BindingJournal page = server();
    page.holder = holder;
    page.sequence = sequence;
    page.entries = std::move(entries);
    api_.AddPage(page);
  }

  testing::ManualLoop loop_;
  testing::FakeApi api_{loop_};
  testing::FakeTelemetry telemetry_;
  Writer writer_{api_, loop_, {}};
  std::vector<std::string> deposed_;
  int idle_ = 0, stored_ = 0;
  JournalPage::World world_{.writer = writer_,
                            .loop = loop_,
                            .telemetry = telemetry_,
                            .holder = "me",
                            .deposed = [this](const std::string& why) { deposed_.push_back(why); },
                            .idle = [this] { ++idle_; }};
  std::unique_ptr<JournalPage> page_;
};

TEST_F(JournalPageTest, StoresWithARaisedSequence) {
  PutEntry(3);
  EXPECT_TRUE(page_->busy());
  EXPECT_EQ(stored_, 0);
  loop_.Run();
  EXPECT_EQ(stored_, 1);
  EXPECT_EQ(idle_, 1);
  EXPECT_FALSE(page_->busy());
  EXPECT_EQ(server().sequence, 8);
  EXPECT_EQ(server().entries, std::vector{ProtocolRig::PageEntry(3, 1)});
}

TEST_F(JournalPageTest, GathersChangesWhileAPutIsUnderWay) {
  PutEntry(3);
  PutEntry(5);
  PutEntry(4);
  EXPECT_EQ(api_.Count("PUT"), 1);
  loop_.Run();
  EXPECT_EQ(api_.Count("PUT"), 2);
  EXPECT_EQ(stored_, 3);
  ASSERT_EQ(server().entries.size(), 3U);
  EXPECT_EQ(server().entries[1].id, 4U);
  EXPECT_EQ(server().sequence, 9);
}

TEST_F(JournalPageTest, KeepsCountOfItsBytes) {
  EXPECT_EQ(page_->bytes(), 0U);
  PutEntry(3);
  EXPECT_EQ(page_->bytes(), EntryBytes(ProtocolRig::PageEntry(3, 1)));
  page_->Erase(3, nullptr);
  EXPECT_EQ(page_->bytes(), 0U);
}

TEST_F(JournalPageTest, IsDeposedByAConflict) {
  Write(8, {}, "another");
  PutEntry(3);
  loop_.Run();
  EXPECT_EQ(deposed_.size(), 1U);
  EXPECT_EQ(stored_, 0);
}

TEST_F(JournalPageTest, IsDeposedWhenThePageIsDeleted) {
  api_.pages().clear();
  PutEntry(3);
  loop_.Run();
  EXPECT_EQ(deposed_.size(), 1U);
}

TEST_F(JournalPageTest, WaitsWhileTheKindIsNotServed) {
  api_.SetPagesServed(false);
  PutEntry(3);
  loop_.Advance(2'000);
  EXPECT_TRUE(deposed_.empty());
  EXPECT_EQ(stored_, 0);
  api_.SetPagesServed(true);
  loop_.Advance(10'000);
  EXPECT_EQ(stored_, 1);
  EXPECT_EQ(server().sequence, 8);
}

TEST_F(JournalPageTest, FindsALostAnswerStored) {
  api_.LoseAnswer("PUT");
  PutEntry(3);
  loop_.Advance(1'000);
  EXPECT_EQ(stored_, 1);
  EXPECT_EQ(api_.Count("PUT"), 1);
  PutEntry(4);  // At the version that the GET showed.
  loop_.Run();
  EXPECT_EQ(stored_, 2);
  EXPECT_TRUE(deposed_.empty());
}

TEST_F(JournalPageTest, SendsALostRequestAgain) {
  api_.LoseRequest("PUT");
  PutEntry(3);
  loop_.Advance(1'000);
  EXPECT_EQ(api_.Count("PUT"), 2);
  EXPECT_EQ(stored_, 1);
  EXPECT_EQ(server().sequence, 8);
  EXPECT_EQ(api_.TakeEffect("PUT").status, 409);
}

TEST_F(JournalPageTest, ReadsAgainWhenARepeatMeetsItsFirstTry) {
  api_.LoseRequest("PUT");
  api_.Hold("PUT");
  PutEntry(3);
  loop_.Advance(1'000);  // The repeat is under way; now the first try acts.
  EXPECT_EQ(api_.TakeEffect("PUT").status, 200);
  api_.Release("PUT");
  loop_.Advance(1'000);
  EXPECT_TRUE(deposed_.empty());
  EXPECT_EQ(stored_, 1);
  EXPECT_EQ(server().sequence, 8);
}

TEST_F(JournalPageTest, AsksAgainAsLongAsNoneAnswers) {
  api_.Refuse("PUT", 429, "");
  api_.LoseRequest("GET");
  api_.Refuse("GET", 503, "");
  PutEntry(3);
  loop_.Advance(10'000);
  EXPECT_EQ(api_.Count("GET"), 3);
  EXPECT_EQ(stored_, 1);
}

TEST_F(JournalPageTest, IsDeposedByForeignContentAfterALostAnswer) {
  struct Case {
    std::string name, holder;
    std::int64_t sequence;
    std::vector<crds::JournalEntry> entries;
  };
  // A PUT of a former life under the same identity may have won the number: entries decide.
  const std::vector<Case> cases = {
      {"another holder", "another", 8, {ProtocolRig::PageEntry(3, 1)}},
      {"another sequence", "me", 9, {ProtocolRig::PageEntry(3, 1)}},
      {"other entries", "me", 8, {ProtocolRig::PageEntry(2, 1)}},
      {"no entries", "me", 8, {}},
  };
  for (const Case& c : cases) {
    deposed_.clear();
    page_ = std::make_unique<JournalPage>(world_, server());
    const crds::BindingJournal before = server();
    api_.LoseRequest("PUT");
    page_->Put(ProtocolRig::PageEntry(3, 1), [this] { ++stored_; });
    page_->Flush();
    Write(c.sequence, c.entries, c.holder);
    loop_.Advance(1'000);
    EXPECT_EQ(deposed_.size(), 1U) << c.name;
    EXPECT_EQ(stored_, 0) << c.name;
    (void)api_.TakeEffect("PUT");
    api_.AddPage(before);
  }
}

TEST_F(JournalPageTest, IsDeposedByADeletedOrUnreadablePageAfterALostAnswer) {
  api_.LoseRequest("PUT");
  api_.Refuse("GET", 200,
              R"({"metadata":{"name":"p-00"},"spec":{"holder":"me","sequence":8,)"
              R"("entries":"{\"v\":2,\"e\":[]}"}})");
  PutEntry(3);
  loop_.Advance(1'000);
  EXPECT_EQ(deposed_.size(), 1U);

  page_ = std::make_unique<JournalPage>(world_, server());
  api_.LoseRequest("PUT");
  page_->Put(ProtocolRig::PageEntry(3, 1), nullptr);
  page_->Flush();
  api_.pages().clear();
  loop_.Advance(1'000);
  EXPECT_EQ(deposed_.size(), 2U);
}

TEST_F(JournalPageTest, TriesAgainWhenItIsRefused) {
  api_.Refuse("PUT", 403, StatusBody("Forbidden", "no"));
  PutEntry(3);
  loop_.Advance(1'000);
  EXPECT_TRUE(deposed_.empty());
  EXPECT_EQ(stored_, 1);
}

}  // namespace
}  // namespace muster::controllers
