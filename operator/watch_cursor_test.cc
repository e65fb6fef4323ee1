#include "operator/watch_cursor.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "crds/decode.h"

namespace muster::app {
namespace {

using ports::WatchEvent;
using Type = WatchEvent::Type;

Result<crds::Object> Decode(std::string_view json) {
  MUSTER_ASSIGN(crds::Namespace decoded, crds::DecodeNamespace(json));
  return crds::Object(std::move(decoded));
}

HttpReply Reply(std::int32_t status, std::string body = "") {
  return {.status = status, .body = std::move(body), .retry_after_ms = {}};
}

HttpReply EmptyList(const std::string& version) {
  return Reply(200, R"({"metadata":{"resourceVersion":")" + version + R"("},"items":[]})");
}

Error NoConnection() {
  return {Code::kUnavailable, "no connection"};
}

// A cursor on virtual time: each request is answered at once, or fails at once.
class WatchCursorTest : public ::testing::Test {
 protected:
  void Pass(std::int64_t wait_ms) {
    now_ms_ += wait_ms;
    for (const WatchEvent& event : cursor_.Take()) types_.push_back(event.type);
  }
  std::vector<Type> Take() { return std::exchange(types_, {}); }

  void List(const Result<HttpReply>& answer) {
    ASSERT_FALSE(cursor_.watching());
    (void)cursor_.Next();
    ++lists_;
    Pass(cursor_.OnPage(answer));
  }
  // A watch that is refused, or (status 0) finds no server.
  void RefusedWatch(std::int32_t status) {
    ASSERT_TRUE(cursor_.watching());
    (void)cursor_.Next();
    ++watches_;
    if (status != 0) cursor_.OnHead(Reply(status));
    Pass(cursor_.OnEnd(status == 0 ? Result<void>(NoConnection()) : Result<void>(), 1));
  }
  // One that lasts.
  void Watch() {
    ASSERT_TRUE(cursor_.watching());
    (void)cursor_.Next();
    ++watches_;
    cursor_.OnHead(Reply(200));
    Pass(0);
  }

  WatchCursor cursor_{WatchOptions(),
                      {.resource = {"", "v1", "namespaces"}, .decode = Decode},
                      1,
                      [](std::string_view, const std::string&) {}};
  std::int64_t now_ms_ = 0;
  std::int64_t lists_ = 0, watches_ = 0;
  std::vector<Type> types_;
};

// A quarter of an hour without a server, then 410: some thirty tries, one new list.
TEST_F(WatchCursorTest, ALongOutageThatEndsInGoneIsNoTightLoop) {
  List(EmptyList("9"));
  Watch();
  Pass(cursor_.OnEnd(NoConnection(), 60'000));
  EXPECT_EQ(now_ms_, 0);  // The first time at once.
  while (now_ms_ < 900'000) RefusedWatch(0);
  EXPECT_GE(watches_, 15);
  EXPECT_LE(watches_, 37);
  EXPECT_EQ(lists_, 1);
  EXPECT_EQ(Take(), (std::vector<Type>{Type::kListEnd, Type::kCut}));  // Told once.

  watches_ = 0;
  RefusedWatch(410);
  List(EmptyList("90"));
  Watch();
  EXPECT_EQ(lists_, 2);
  EXPECT_EQ(watches_, 2);
  EXPECT_EQ(Take(), (std::vector<Type>{Type::kLost, Type::kListEnd}));
}

TEST_F(WatchCursorTest, AServerThatExpiresEveryWatchIsAskedEverMoreSeldom) {
  for (int i = 0; i < 8; ++i) {
    List(EmptyList("9"));
    RefusedWatch(410);
  }
  EXPECT_GE(now_ms_, 800 + 1'600 + 3'200 + 6'400 + 12'800 + 25'600 + 30'000 + 30'000);
}

TEST_F(WatchCursorTest, ABookmarkSaysThatACutStreamGoesOn) {
  List(EmptyList("9"));
  Watch();
  Take();
  Pass(cursor_.OnEnd({}, 300'000));  // The server's own end.
  Watch();
  EXPECT_TRUE(Take().empty());
  Pass(cursor_.OnEnd(NoConnection(), 100'000));  // Its read timed out, as when nothing happens.
  Watch();
  EXPECT_TRUE(Take().empty());
  Pass(cursor_.OnEnd(NoConnection(), 300'000));
  RefusedWatch(503);
  EXPECT_EQ(Take(), std::vector<Type>{Type::kCut});
  Watch();
  EXPECT_EQ(Take(), std::vector<Type>{Type::kBookmark});
}

TEST_F(WatchCursorTest, AStreamThatIsNeverServedForLongIsCut) {
  List(EmptyList("9"));
  Take();
  for (int i = 0; i < 5; ++i) {
    Watch();
    Pass(cursor_.OnEnd({}, 10));
  }
  EXPECT_EQ(Take().front(), Type::kCut);
  EXPECT_GE(now_ms_, 800 + 1'600 + 3'200 + 6'400 + 12'800);
}

// What it was given cannot be a place to go on from: to ask again would not help.
TEST_F(WatchCursorTest, AVersionThatTheServerDoesNotUnderstandIsListedAnew) {
  for (const std::int32_t refusal : {400, 422}) {
    List(EmptyList("9"));
    Take();
    RefusedWatch(refusal);
    EXPECT_EQ(Take(), std::vector<Type>{Type::kLost}) << refusal;
    EXPECT_FALSE(cursor_.watching());
  }
}

// A uid is what tells two objects apart, and the version is where the next watch begins: without
// them an object is none, and the watch goes on from the version before.
TEST_F(WatchCursorTest, AnObjectWithoutUsableMetadataIsInvalidAndMovesNothing) {
  const struct {
    const char* meta;
    const char* error;
  } cases[] = {{R"({"name":"a","resourceVersion":"17"})", "a: metadata.uid: missing"},
               {R"({"name":"a","uid":"u"})", "a: metadata.resourceVersion: missing"},
               {R"({"name":"a/b","uid":"u","resourceVersion":"17"})",
                "an object without a readable name: metadata.name: expected a name"},
               {R"({"uid":"u","resourceVersion":"17"})",
                "an object without a readable name: metadata.name: missing"}};
  List(EmptyList("9"));
  Watch();
  for (const auto& c : cases) {
    EXPECT_TRUE(
        cursor_.OnBytes(R"({"type":"ADDED","object":{"metadata":)" + std::string(c.meta) + "}}\n"));
    const std::vector<WatchEvent> events = cursor_.Take();
    ASSERT_EQ(events.size(), 1U) << c.meta;
    EXPECT_EQ(events[0].type, Type::kInvalid) << c.meta;
    EXPECT_EQ(events[0].error, c.error);
  }
  Pass(cursor_.OnEnd({}, 300'000));
  EXPECT_NE(cursor_.Next().query.find("&resourceVersion=9&"), std::string::npos);
}

}  // namespace
}  // namespace muster::app
