#include "controllers/warm_cache.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/testing/manual_loop.h"

namespace muster::controllers {
namespace {

using Shown = ports::WatchEvent::Type;

class WarmCacheTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kListUs = 100'000;

  void Send(Shown type, const std::string& name, const std::string& uid,
            const std::string& version) {
    ports::WatchEvent event;
    event.type = type;
    event.resource_version = version;
    crds::Node node;
    node.meta.name = name;
    node.meta.uid = uid;
    node.meta.resource_version = version;
    event.object = std::move(node);
    cache_.On(std::move(event));
  }
  void Send(Shown type, const std::string& version = "", const std::string& name = "") {
    ports::WatchEvent event;
    event.type = type;
    event.resource_version = version;
    event.name = name;
    cache_.On(std::move(event));
  }
  void ListTwo() {
    Send(Shown::kListed, "a", "u1", "3");
    Send(Shown::kListed, "b", "u2", "5");
    Send(Shown::kListEnd, "7");
  }
  // The API server's answer to what was asked last.
  void Answer(const std::string& version) {
    AnswerWith(ports::Response{
        .status = 200,
        .body = R"({"metadata":{"resourceVersion":")" + version + R"("},"items":[]})",
        .retry_after_ms = {}});
  }
  void AnswerWith(const Result<ports::Response>& answer) {
    ASSERT_FALSE(asked_.empty());
    std::exchange(asked_, {}).back().second(answer);
  }
  // "a@3 b@5 end 7".
  std::string Passed() {
    std::string text;
    cache_.PassOn([&text](const ports::WatchEvent& event) {
      const crds::ObjectMeta* meta = crds::MetaOf(event.object);
      if (event.type == Shown::kListEnd) text += "end " + event.resource_version;
      if (event.type == Shown::kInvalid) text += "invalid " + event.name + " ";
      if (event.type == Shown::kListed) text += meta->name + "@" + meta->resource_version + " ";
    });
    return text;
  }

  testing::ManualLoop loop_;
  std::deque<std::pair<ports::Request, ports::Api::Done>> asked_;
  int settled_ = 0;
  WarmCache cache_{{.loop = loop_,
                    .send =
                        [this](ports::Request request, ports::Api::Done done) {
                          asked_.emplace_back(std::move(request), std::move(done));
                        },
                    .resource = {"", "v1", "nodes"},
                    .settled = [this] { ++settled_; }}};
};

TEST_F(WarmCacheTest, KeepsTheLastStateOfEachObject) {
  ListTwo();
  Send(Shown::kModified, "a", "u1", "8");
  Send(Shown::kDeleted, "b", "u2", "9");
  Send(Shown::kAdded, "c", "u3", "10");
  Send(Shown::kAdded, "d", "u4", "11");
  Send(Shown::kDeleted, "d", "u0", "12");  // The end of a former object of that name.
  Send(Shown::kInvalid, "13", "c");
  EXPECT_EQ(Passed(), "a@8 invalid c d@11 end 12");
  EXPECT_EQ(Passed(), "end 12") << "nothing is kept twice";
}

TEST_F(WarmCacheTest, ARelistTakesAwayWhatItDoesNotShow) {
  ListTwo();
  Send(Shown::kLost);
  Send(Shown::kListed, "x", "u8", "18");
  Send(Shown::kLost);  // What a broken list has shown says nothing.
  Send(Shown::kListed, "b", "u2", "19");
  Send(Shown::kListEnd, "20");
  EXPECT_EQ(Passed(), "b@19 end 20");
}

TEST_F(WarmCacheTest, AListWithANamelessObjectTakesNobodyAway) {
  ListTwo();
  Send(Shown::kLost);
  Send(Shown::kListed, "b", "u2", "19");
  Send(Shown::kInvalid);
  Send(Shown::kListEnd, "20");
  EXPECT_EQ(Passed(), "invalid  a@3 b@19 end 20");
}

TEST_F(WarmCacheTest, IsCaughtUpWhenTheStreamHasPassedWhatTheServerSaysAfterwards) {
  ListTwo();
  Send(Shown::kModified, "a", "u1", "99");
  cache_.Ask(kListUs);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].first.query, "limit=1");
  EXPECT_EQ(asked_[0].first.resource.plural, "nodes");
  Answer("102");
  EXPECT_EQ(settled_, 0);
  Send(Shown::kModified, "a", "u1", "101");
  EXPECT_EQ(settled_, 0);
  Send(Shown::kInvalid, "103", "b");  // It may be an item of a list, which is in no order.
  EXPECT_EQ(settled_, 0);
  EXPECT_FALSE(cache_.caught_up());
  Send(Shown::kDeleted, "b", "u2", "104");
  EXPECT_EQ(settled_, 1);
  EXPECT_TRUE(cache_.caught_up());
  loop_.Advance(10'000);
  EXPECT_EQ(settled_, 1);
}

TEST_F(WarmCacheTest, ABookmarkAtThatVersionIsEnough) {
  ListTwo();
  cache_.Ask(kListUs);
  Answer("9");
  Send(Shown::kBookmark, "9");
  EXPECT_TRUE(cache_.caught_up());
  EXPECT_EQ(settled_, 1);
}

TEST_F(WarmCacheTest, AStreamThatWasAheadIsCaughtUpAtOnce) {
  ListTwo();
  cache_.Ask(kListUs);
  Send(Shown::kBookmark, "12");
  EXPECT_EQ(settled_, 0);
  Answer("9");
  EXPECT_TRUE(cache_.caught_up());
  EXPECT_EQ(settled_, 1);
}

TEST_F(WarmCacheTest, WaitsNoLongerThanAListWouldTake) {
  ListTwo();
  cache_.Ask(kListUs);
  Answer("9");
  loop_.Advance(199);
  EXPECT_EQ(settled_, 0);
  loop_.Advance(1);
  EXPECT_EQ(settled_, 1);
  EXPECT_FALSE(cache_.caught_up());
}

TEST_F(WarmCacheTest, WaitsAtMostASecond) {
  ListTwo();
  cache_.Ask(60'000'000);
  loop_.Advance(999);
  EXPECT_EQ(settled_, 0);
  loop_.Advance(1);
  EXPECT_EQ(settled_, 1);
}

TEST_F(WarmCacheTest, WhatIsListedInNoTimeIsNotWaitedFor) {
  ListTwo();
  cache_.Ask(20'000);
  EXPECT_EQ(settled_, 1);
  EXPECT_TRUE(cache_.settled());
  EXPECT_FALSE(cache_.caught_up());
  EXPECT_TRUE(asked_.empty());
}

TEST_F(WarmCacheTest, AStreamThatIsNotWholeIsNotWaitedFor) {
  for (const Shown type : {Shown::kLost, Shown::kCut}) {
    WarmCache cache(
        {.loop = loop_, .send = nullptr, .resource = {}, .settled = [this] { ++settled_; }});
    ports::WatchEvent event;
    event.type = Shown::kListEnd;
    event.resource_version = "7";
    cache.On(event);
    event.type = type;
    event.resource_version = "";
    cache.On(event);
    cache.Ask(kListUs);
    EXPECT_TRUE(cache.settled());
    EXPECT_FALSE(cache.caught_up());
  }
  EXPECT_EQ(settled_, 2);
}

// What it holds may lack a change, until the new list is complete.
TEST_F(WarmCacheTest, AStreamThatIsLostMeanwhileIsCaughtUpByItsNewList) {
  ListTwo();
  cache_.Ask(kListUs);
  Send(Shown::kLost);
  Answer("7");
  Send(Shown::kListed, "a", "u1", "90");
  EXPECT_EQ(settled_, 0);
  Send(Shown::kListEnd, "95");
  EXPECT_TRUE(cache_.caught_up());
  EXPECT_EQ(settled_, 1);
}

TEST_F(WarmCacheTest, AStreamThatIsCutMeanwhileHasToGoOn) {
  ListTwo();
  cache_.Ask(kListUs);
  Send(Shown::kCut);
  Answer("7");
  EXPECT_EQ(settled_, 0);
  Send(Shown::kBookmark, "7");
  EXPECT_EQ(settled_, 1);
}

TEST_F(WarmCacheTest, WithoutAVersionToCompareItIsListedAnew) {
  ListTwo();
  cache_.Ask(kListUs);
  AnswerWith(Error{Code::kUnavailable, "no connection"});
  EXPECT_EQ(settled_, 1);
  EXPECT_FALSE(cache_.caught_up());
}

TEST_F(WarmCacheTest, AnAnswerThatIsNoListProvesNothing) {
  ListTwo();
  cache_.Ask(kListUs);
  AnswerWith(ports::Response{.status = 200, .body = "{}", .retry_after_ms = {}});
  EXPECT_EQ(settled_, 1);
  EXPECT_FALSE(cache_.caught_up());
}

TEST_F(WarmCacheTest, VersionsThatAreNoNumbersAreNotCompared) {
  ListTwo();
  cache_.Ask(kListUs);
  Answer("7-x");
  Send(Shown::kBookmark, "8-x");
  EXPECT_FALSE(cache_.caught_up());
  EXPECT_EQ(settled_, 0);
}

}  // namespace
}  // namespace muster::controllers
