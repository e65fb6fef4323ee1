#include "controllers/informer.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace muster::controllers {
namespace {

using Type = ports::WatchEvent::Type;

crds::Pod Pod(std::string name, std::string uid, std::string version) {
  crds::Pod pod;
  pod.meta.ns = "ns";
  pod.meta.name = std::move(name);
  pod.meta.uid = std::move(uid);
  pod.meta.resource_version = std::move(version);
  return pod;
}

// An informer whose callbacks become one log.
class InformerTest : public ::testing::Test {
 protected:
  InformerTest()
      : informer_(
            {.seen =
                 [this](const crds::Object& object) {
                   const auto& meta = std::get<crds::Pod>(object).meta;
                   log_.push_back("seen " + meta.name + " " + meta.uid + " " +
                                  meta.resource_version);
                 },
             .gone =
                 [this](const Informer::Ref& ref) {
                   log_.push_back("gone " + ref.key.ns + "/" + ref.key.name + " " + ref.uid);
                 },
             .listed = [this] { log_.emplace_back("listed"); },
             .invalid = [this](const std::string& error) { log_.push_back("invalid " + error); },
             .lost = [this](const std::string& error) { log_.push_back("lost " + error); },
             .stale_changed =
                 [this] { log_.emplace_back(informer_.stale() ? "stale" : "current"); },
             .went_back =
                 [this](const Informer::Ref& ref) {
                   log_.push_back("went back " + ref.key.name + " " + ref.uid);
                 }}) {}

  void Send(Type type, crds::Pod pod) {
    ports::WatchEvent event{};
    event.type = type;
    event.object = std::move(pod);
    informer_.On(event);
  }
  // Of an object of which the stream says no more than its name.
  void Send(Type type, std::string name = "", std::string error = "") {
    ports::WatchEvent event{};
    event.type = type;
    event.ns = name.empty() ? "" : "ns";
    event.name = std::move(name);
    event.error = std::move(error);
    informer_.On(event);
  }
  void Invalid(std::string name) {
    Send(Type::kInvalid, std::move(name), "spec.priority: expected an integer");
  }
  std::vector<std::string> Take() { return std::exchange(log_, {}); }

  std::vector<std::string> log_;
  Informer informer_;
};

using Log = std::vector<std::string>;

TEST_F(InformerTest, TellsAListAndItsWatchInStreamOrder) {
  Send(Type::kListed, Pod("a", "u1", "1"));
  Send(Type::kListed, Pod("b", "u2", "2"));
  EXPECT_FALSE(informer_.synced());
  Send(Type::kListEnd);
  EXPECT_TRUE(informer_.synced());
  Send(Type::kModified, Pod("a", "u1", "3"));
  Send(Type::kDeleted, Pod("b", "u2", "4"));
  Send(Type::kAdded, Pod("c", "u3", "5"));
  EXPECT_EQ(Take(), (Log{"seen a u1 1", "seen b u2 2", "listed", "seen a u1 3", "gone ns/b u2",
                         "seen c u3 5"}));
  ASSERT_NE(informer_.Find({"ns", "a"}), nullptr);
  EXPECT_EQ(informer_.Find({"ns", "a"})->resource_version, "3");
  EXPECT_EQ(informer_.Find({"ns", "b"}), nullptr);
}

TEST_F(InformerTest, DropsRepeatsAndBookmarks) {
  Send(Type::kAdded, Pod("a", "u1", "1"));
  Take();
  Send(Type::kBookmark);
  Send(Type::kModified, Pod("a", "u1", "1"));
  Send(Type::kDeleted, Pod("nobody", "u9", "9"));
  EXPECT_EQ(Take(), Log{});
}

TEST_F(InformerTest, TakesAChangedUidAsADeletionAndAnAddition) {
  Send(Type::kAdded, Pod("a", "u1", "1"));
  Send(Type::kModified, Pod("a", "u2", "7"));
  EXPECT_EQ(Take(), (Log{"seen a u1 1", "gone ns/a u1", "seen a u2 7"}));
  Send(Type::kDeleted, Pod("a", "u1", "8"));  // The end of the former object.
  EXPECT_EQ(Take(), Log{});
}

TEST_F(InformerTest, ARelistReplacesTheView) {
  Send(Type::kListed, Pod("a", "u1", "1"));
  Send(Type::kListed, Pod("b", "u2", "2"));
  Send(Type::kListed, Pod("c", "u3", "3"));
  Send(Type::kListEnd);
  Take();
  Send(Type::kLost, "", "410");
  Send(Type::kListed, Pod("a", "u1", "1"));
  Send(Type::kListed, Pod("b", "u8", "8"));
  Send(Type::kListed, Pod("d", "u4", "9"));
  Send(Type::kListEnd);
  EXPECT_EQ(Take(), (Log{"lost 410", "stale", "gone ns/b u2", "seen b u8 8", "seen d u4 9",
                         "gone ns/c u3", "listed", "current"}));
}

TEST_F(InformerTest, IsStaleWhileItsStreamIsCut) {
  Send(Type::kListEnd);
  Take();
  Send(Type::kCut, "", "no connection");
  Send(Type::kCut, "", "no connection");
  EXPECT_EQ(Take(), Log{"stale"});
  Send(Type::kBookmark);
  Send(Type::kAdded, Pod("a", "u1", "1"));
  EXPECT_EQ(Take(), (Log{"current", "seen a u1 1"}));
  // Cut, and then too late to go on: the list that follows counts, not its first object.
  Send(Type::kCut, "", "no connection");
  Send(Type::kLost, "", "410");
  Send(Type::kListed, Pod("b", "u2", "2"));
  EXPECT_TRUE(informer_.stale());
  Send(Type::kListEnd);
  EXPECT_EQ(Take(), (Log{"stale", "lost 410", "seen b u2 2", "gone ns/a u1", "listed", "current"}));
}

TEST_F(InformerTest, ABrokenListProvesNothing) {
  Send(Type::kListed, Pod("a", "u1", "1"));
  Send(Type::kListEnd);
  Take();
  Send(Type::kListed, Pod("b", "u2", "2"));
  Send(Type::kLost, "", "410");
  Send(Type::kListEnd);  // The list that counts is empty.
  EXPECT_EQ(Take(), (Log{"seen b u2 2", "lost 410", "stale", "gone ns/a u1", "gone ns/b u2",
                         "listed", "current"}));
}

TEST_F(InformerTest, AnObjectThatDoesNotDecodeKeepsItsLastGoodState) {
  Send(Type::kListed, Pod("a", "u1", "1"));
  Send(Type::kListed, Pod("b", "u2", "2"));
  Send(Type::kListEnd);
  Invalid("a");
  Take();
  Send(Type::kModified, Pod("b", "u2", "4"));
  Invalid("a");
  Send(Type::kListEnd);
  EXPECT_EQ(Take(), (Log{"seen b u2 4", "invalid spec.priority: expected an integer",
                         "gone ns/b u2", "listed"}));
  ASSERT_NE(informer_.Find({"ns", "a"}), nullptr);
  EXPECT_EQ(informer_.Find({"ns", "a"})->resource_version, "1");
  Send(Type::kDeleted, "a");
  EXPECT_EQ(Take(), Log{"gone ns/a u1"});
}

TEST_F(InformerTest, AListWithANamelessObjectCallsNobodyGone) {
  Send(Type::kListed, Pod("a", "u1", "1"));
  Send(Type::kListEnd);
  Take();
  Invalid("");
  Send(Type::kListEnd);
  EXPECT_EQ(Take(), (Log{"invalid spec.priority: expected an integer", "listed"}));
  Send(Type::kListEnd);
  EXPECT_EQ(Take(), (Log{"gone ns/a u1", "listed"}));
}

// An API server that was restored to an older state.
TEST_F(InformerTest, SaysWhenAnObjectIsAsItWasBefore) {
  Send(Type::kAdded, Pod("a", "u1", "99"));
  Send(Type::kModified, Pod("a", "u1", "100"));
  log_.clear();
  Send(Type::kListed, Pod("a", "u1", "99"));
  EXPECT_EQ(log_, std::vector<std::string>{"went back a u1"});
}

TEST_F(InformerTest, SaysWhenAnObjectIsBackThatWasGone) {
  Send(Type::kAdded, Pod("a", "u1", "5"));
  Send(Type::kDeleted, Pod("a", "u1", "6"));
  Send(Type::kAdded, Pod("a", "u2", "7"));
  log_.clear();
  Send(Type::kListed, Pod("b", "u3", "8"));
  EXPECT_EQ(log_, std::vector<std::string>{"seen b u3 8"});
  log_.clear();
  Send(Type::kListed, Pod("a", "u1", "5"));
  EXPECT_EQ(log_, std::vector<std::string>{"went back a u1"});
}

}  // namespace
}  // namespace muster::controllers
