#include "controllers/writer.h"

#include <gtest/gtest.h>

#include "controllers/api_calls.h"
#include "controllers/testing/fake_api.h"
#include "controllers/testing/manual_loop.h"

namespace muster::controllers {
namespace {

using testing::FakeApi;
using testing::ManualLoop;

ports::Request In(ports::Lane lane, const std::string& name) {
  return GetPod({.ns = "default", .name = name}, lane);
}

class WriterTest : public ::testing::Test {
 protected:
  void Submit(ports::Lane lane, const std::string& name) {
    writer_.Submit(In(lane, name), [this, name](const Result<ports::Response>& answer) {
      answers_.push_back(name + " " +
                         (answer.ok() ? std::to_string(answer.value().status) : "none"));
    });
  }
  [[nodiscard]] std::vector<std::string> sent() const { return api_.log(); }

  ManualLoop loop_;
  FakeApi api_{loop_};
  Writer writer_{api_, loop_, {.bind_in_flight = 2, .removal_in_flight = 1, .status_in_flight = 1}};
  std::vector<std::string> answers_;
};

TEST_F(WriterTest, HoldsEachLaneToItsBound) {
  for (const char* name : {"a", "b", "c"}) Submit(ports::Lane::kBind, name);
  EXPECT_EQ(sent(), (std::vector<std::string>{"GET pods/a", "GET pods/b"}));
  loop_.Run();
  EXPECT_EQ(sent().size(), 3U);
  EXPECT_EQ(answers_.size(), 3U);
}

TEST_F(WriterTest, StartsNothingLowerWhileAHigherLaneWaits) {
  for (const char* name : {"a", "b", "c"}) Submit(ports::Lane::kBind, name);
  Submit(ports::Lane::kStatus, "s");
  Submit(ports::Lane::kRemoval, "r");
  EXPECT_EQ(api_.Count("GET pods/r") + api_.Count("GET pods/s"), 0);
  loop_.Run();
  EXPECT_EQ(sent(), (std::vector<std::string>{"GET pods/a", "GET pods/b", "GET pods/c",
                                              "GET pods/r", "GET pods/s"}));
}

TEST_F(WriterTest, LetsLowerLanesRunBesideBindingsThatAreUnderWay) {
  api_.Hold("GET pods/a");
  Submit(ports::Lane::kBind, "a");
  Submit(ports::Lane::kStatus, "s");
  loop_.Run();
  EXPECT_EQ(answers_, (std::vector<std::string>{"s 404"}));
  EXPECT_TRUE(writer_.bindings_waiting());
  api_.Release("GET pods/a");
  loop_.Run();
  EXPECT_FALSE(writer_.bindings_waiting());
}

TEST_F(WriterTest, TellsWhenBindingsBeginAndCeaseToWait) {
  std::vector<bool> told;
  writer_.OnBusy([&told](bool waiting) { told.push_back(waiting); });
  Submit(ports::Lane::kStatus, "s");
  Submit(ports::Lane::kBind, "a");
  Submit(ports::Lane::kBind, "b");
  EXPECT_EQ(told, std::vector<bool>{true});
  loop_.Run();
  EXPECT_EQ(told, (std::vector<bool>{true, false}));
}

TEST_F(WriterTest, ABindingThatHangsHoldsStatusBackForHalfASecond) {
  std::vector<bool> told;
  writer_.OnBusy([&told](bool waiting) { told.push_back(waiting); });
  api_.Hold("GET pods/a");
  Submit(ports::Lane::kBind, "a");
  loop_.Advance(499);
  EXPECT_TRUE(writer_.bindings_waiting());
  EXPECT_EQ(told, std::vector<bool>{true});
  loop_.Advance(1);
  EXPECT_FALSE(writer_.bindings_waiting());
  EXPECT_EQ(told, (std::vector<bool>{true, false}));
  // The next one counts anew, for as long as it takes.
  Submit(ports::Lane::kBind, "b");
  EXPECT_EQ(told, (std::vector<bool>{true, false, true}));
  loop_.Advance(499);
  EXPECT_EQ(told, (std::vector<bool>{true, false, true}));
  loop_.Advance(1);
  EXPECT_EQ(told, (std::vector<bool>{true, false, true, false}));
  api_.Release("GET pods/a");
  loop_.Advance(10'000);
  EXPECT_EQ(answers_, (std::vector<std::string>{"b 404", "a 404"}));
  EXPECT_FALSE(writer_.bindings_waiting());
  EXPECT_EQ(loop_.timers(), 0U);
}

TEST_F(WriterTest, BehindOneThatHangsStatusGoesInFrontOfNoBindingThatCouldBeSent) {
  api_.Hold("GET pods/a");
  Submit(ports::Lane::kBind, "a");
  Submit(ports::Lane::kBind, "b");
  Submit(ports::Lane::kBind, "c");
  Submit(ports::Lane::kStatus, "s");
  loop_.Run();
  EXPECT_EQ(sent(),
            (std::vector<std::string>{"GET pods/a", "GET pods/b", "GET pods/c", "GET pods/s"}));
}

TEST_F(WriterTest, ALaneThatIsFullOfWhatHangsHoldsNobodyUp) {
  for (const char* name : {"a", "b", "r"}) api_.Hold("GET pods/" + std::string(name));
  for (const char* name : {"a", "b", "c"}) Submit(ports::Lane::kBind, name);
  Submit(ports::Lane::kStatus, "s");
  Submit(ports::Lane::kRemoval, "r");
  loop_.Advance(499);
  EXPECT_EQ(sent(), (std::vector<std::string>{"GET pods/a", "GET pods/b"}));
  loop_.Advance(1);
  EXPECT_EQ(sent(),
            (std::vector<std::string>{"GET pods/a", "GET pods/b", "GET pods/r", "GET pods/s"}));
  Submit(ports::Lane::kRemoval, "r2");
  Submit(ports::Lane::kStatus, "s2");
  loop_.Advance(499);
  EXPECT_EQ(sent().size(), 4U);
  // One that comes free is the Binding's.
  api_.Release("GET pods/a");
  loop_.Run();
  EXPECT_EQ(sent().size(), 5U);
  EXPECT_EQ(sent().back(), "GET pods/c");
}

TEST_F(WriterTest, PutsAPageBeforeWaitingBindings) {
  for (const char* name : {"a", "b", "c"}) Submit(ports::Lane::kBind, name);
  writer_.SubmitFirst(In(ports::Lane::kBind, "page"), [](const Result<ports::Response>&) {});
  loop_.Run();
  EXPECT_EQ(sent(),
            (std::vector<std::string>{"GET pods/a", "GET pods/b", "GET pods/page", "GET pods/c"}));
}

TEST_F(WriterTest, MakesALateRequestWhenItsTurnComes) {
  std::string name = "early";
  std::vector<bool> told;
  writer_.OnBusy([&told](bool waiting) { told.push_back(waiting); });
  for (const char* before : {"a", "b"}) Submit(ports::Lane::kBind, before);
  writer_.SubmitLate(
      ports::Lane::kBind, [&name] { return std::optional(In(ports::Lane::kBind, name)); },
      [this](const Result<ports::Response>&) { answers_.emplace_back("late"); });
  writer_.SubmitLate(
      ports::Lane::kBind, []() -> std::optional<ports::Request> { return std::nullopt; },
      [this](const Result<ports::Response>&) { answers_.emplace_back("never"); });
  name = "late";
  loop_.Run();
  EXPECT_EQ(sent(), (std::vector<std::string>{"GET pods/a", "GET pods/b", "GET pods/late"}));
  EXPECT_EQ(answers_, (std::vector<std::string>{"a 404", "b 404", "late"}));
  EXPECT_EQ(told, (std::vector<bool>{true, false}));
}

TEST_F(WriterTest, RepeatsStatusWritesOnly) {
  api_.Refuse("GET pods/s", 503, "");
  api_.LoseRequest("GET pods/s");
  api_.LoseRequest("GET pods/b");
  Submit(ports::Lane::kStatus, "s");
  Submit(ports::Lane::kBind, "b");
  loop_.Advance(10'000);
  EXPECT_EQ(api_.Count("GET pods/s"), 3);
  EXPECT_EQ(api_.Count("GET pods/b"), 1);
  EXPECT_EQ(answers_, (std::vector<std::string>{"b none", "s 404"}));
}

TEST_F(WriterTest, GivesUpAStatusWriteAfterFourTries) {
  for (int i = 0; i < 5; ++i) api_.LoseRequest("GET pods/s");
  Submit(ports::Lane::kStatus, "s");
  loop_.Advance(60'000);
  EXPECT_EQ(api_.Count("GET pods/s"), 4);
  EXPECT_EQ(answers_, (std::vector<std::string>{"s none"}));
}

TEST_F(WriterTest, SendsNothingOnceStopped) {
  for (const char* name : {"a", "b", "c"}) Submit(ports::Lane::kBind, name);
  writer_.Stop();
  Submit(ports::Lane::kBind, "d");
  loop_.Run();
  EXPECT_EQ(sent().size(), 2U);
  EXPECT_TRUE(answers_.empty());
}

}  // namespace
}  // namespace muster::controllers
