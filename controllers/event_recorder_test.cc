#include "controllers/event_recorder.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/testing/manual_loop.h"

namespace muster::controllers {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;

class EventRecorderTest : public ::testing::Test {
 protected:
  EventRecorderTest()
      : recorder_(
            loop_,
            [this](ports::Request request, const ports::Api::Done& done) {
              sent_.push_back(std::move(request));
              ports::Response response;
              response.status = answer_;
              done(std::move(response));
            },
            "muster-0", [this] { ++dropped_; }) {}

  void Emit(const std::string& text, const std::string& object = "train-b") {
    recorder_.Emit({.regarding = ObjectRef::PodGroup({"default", object}, "u-" + object),
                    .warning = true,
                    .reason = "FailedScheduling",
                    .action = "Scheduling",
                    .text = text});
  }
  std::vector<ports::Request> Take() { return std::exchange(sent_, {}); }

  testing::ManualLoop loop_;
  std::vector<ports::Request> sent_;
  std::int32_t answer_ = 201;
  std::int64_t dropped_ = 0;
  EventRecorder recorder_;
};

TEST_F(EventRecorderTest, PostsWhatTheApiAsksFor) {
  Emit("0/4 nodes are available: 4 Insufficient nvidia.com/gpu.");
  const auto sent = Take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].verb, ports::Verb::kCreate);
  EXPECT_EQ(sent[0].resource.group, "events.k8s.io");
  EXPECT_EQ(sent[0].resource.plural, "events");
  EXPECT_EQ(sent[0].ns, "default");
  EXPECT_EQ(sent[0].lane, ports::Lane::kStatus);
  EXPECT_EQ(sent[0].body,
            R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":)"
            R"({"name":"train-b.0000000000000001","namespace":"default"},)"
            R"("eventTime":"2026-09-01T00:00:00.250000Z","reportingController":"muster",)"
            R"("reportingInstance":"muster-0","action":"Scheduling","reason":"FailedScheduling",)"
            R"("regarding":{"kind":"PodGroup","namespace":"default","name":"train-b",)"
            R"("uid":"u-train-b","apiVersion":"muster.dev/v1alpha1"},)"
            R"("note":"0/4 nodes are available: 4 Insufficient nvidia.com/gpu.",)"
            R"("type":"Warning"})");
}

TEST_F(EventRecorderTest, RepeatsBecomeASeriesOfTheSameEvent) {
  Emit("no room");
  EXPECT_EQ(Take().size(), 1U);
  loop_.Advance(5 * kMinuteMs);
  Emit("no room");
  auto sent = Take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].verb, ports::Verb::kPatch);
  EXPECT_EQ(sent[0].name, "train-b.0000000000000001");
  EXPECT_EQ(sent[0].content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(sent[0].body,
            R"({"series":{"count":2,"lastObservedTime":"2026-09-01T00:05:00.250000Z"}})");
  // Later ones are counted, and written 30 minutes after the last that was.
  for (int i = 0; i < 5; ++i) {
    loop_.Advance(5 * kMinuteMs);
    Emit("no room");
  }
  EXPECT_TRUE(Take().empty());
  loop_.Advance(5 * kMinuteMs);
  Emit("no room");
  sent = Take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].body,
            R"({"series":{"count":8,"lastObservedTime":"2026-09-01T00:35:00.250000Z"}})");
}

TEST_F(EventRecorderTest, AfterSilenceTheCountIsWrittenAndTheSeriesEnds) {
  for (int i = 0; i < 3; ++i) Emit("no room");
  EXPECT_EQ(Take().size(), 2U);
  loop_.Advance(5 * kMinuteMs);
  EXPECT_TRUE(Take().empty());
  loop_.Advance(2 * kMinuteMs);
  const auto sent = Take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].body,
            R"({"series":{"count":3,"lastObservedTime":"2026-09-01T00:00:00.250000Z"}})");
  EXPECT_EQ(loop_.timers(), 0U);
  Emit("no room");
  EXPECT_EQ(Take()[0].verb, ports::Verb::kCreate);
}

TEST_F(EventRecorderTest, AnEventThatTheServerForgotIsMadeAgain) {
  Emit("no room");
  answer_ = 404;
  Emit("no room");
  const auto sent = Take();
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[1].verb, ports::Verb::kPatch);
  EXPECT_EQ(sent[2].verb, ports::Verb::kCreate);
}

TEST_F(EventRecorderTest, ARefusalIsNotRepeatedAndCountsNothing) {
  answer_ = 403;  // The namespace is being deleted.
  Emit("no room");
  loop_.Advance(10 * kMinuteMs);
  EXPECT_EQ(Take().size(), 1U);
  EXPECT_EQ(dropped_, 0);
}

TEST_F(EventRecorderTest, ABucketOf100At10ASecond) {
  for (int i = 0; i < 150; ++i) Emit("no room", "g-" + std::to_string(i));
  EXPECT_EQ(Take().size(), 100U);
  EXPECT_EQ(dropped_, 50);
  loop_.Advance(1'000);
  for (int i = 0; i < 20; ++i) Emit("no room", "h-" + std::to_string(i));
  EXPECT_EQ(Take().size(), 10U);
  loop_.Advance(60 * kMinuteMs);
  Take();
  for (int i = 0; i < 150; ++i) Emit("no room", "i-" + std::to_string(i));
  EXPECT_EQ(Take().size(), 100U);
}

}  // namespace
}  // namespace muster::controllers
