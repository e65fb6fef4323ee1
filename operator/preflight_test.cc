#include "operator/preflight.h"

#include <deque>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "operator/thread_loop.h"

namespace muster::app {
namespace {

using CallResult = Result<ports::Response>;

CallResult Status(std::int32_t code, const std::string& message) {
  return ports::Response{.status = code,
                         .body = R"({"kind":"Status","status":"Failure","message":")" + message +
                                 R"(","code":)" + std::to_string(code) + "}",
                         .retry_after_ms = {}};
}

CallResult Plain(std::int32_t code, const std::string& body) {
  return ports::Response{.status = code, .body = body, .retry_after_ms = {}};
}

class Answers final : public ports::Api {
 public:
  Answers(ports::Loop& loop, std::deque<CallResult> answers)
      : loop_(loop), answers_(std::move(answers)) {}
  void AllowWritesUntil(Ticks) override {}
  void Call(ports::Request request, Done done) override {
    asked.push_back(request.resource.plural + "/" + request.name);
    if (answers_.empty()) return;
    loop_.Post([done = std::move(done), answer = answers_.front()] { done(answer); });
    answers_.pop_front();
  }
  void ListAndWatch(ports::Resource /*resource*/, Decode /*decode*/, Sink /*sink*/) override {}

  std::vector<std::string> asked;

 private:
  ports::Loop& loop_;
  std::deque<CallResult> answers_;
};

class Warnings final : public ports::Telemetry {
 public:
  void Log(ports::Level level, std::string_view message, Fields fields) override {
    lines.push_back(std::to_string(static_cast<int>(level)) + std::string(message) +
                    ports::TextOf(fields.front().second));
  }
  void Count(std::string_view, std::int64_t, Labels) override {}
  void Gauge(std::string_view, std::int64_t, Labels) override {}
  void Observe(std::string_view, std::int64_t, Labels) override {}
  void Forget(Labels) override {}
  [[nodiscard]] std::int64_t Micros() const override { return 0; }

  std::vector<std::string> lines;
};

struct Outcome {
  std::string end;  // "ready", or the text of the fatal end.
  std::vector<std::string> asked, warnings;
};

Outcome Check(std::deque<CallResult> answers) {
  ThreadLoop loop;
  Answers api(loop, std::move(answers));
  Warnings warnings;
  Outcome outcome;
  Preflight preflight({.api = api,
                       .loop = loop,
                       .telemetry = warnings,
                       .ns = "muster-system",
                       .ready =
                           [&] {
                             outcome.end = "ready";
                             loop.Stop();
                           },
                       .fatal =
                           [&](const std::string& why) {
                             outcome.end = why;
                             loop.Stop();
                           }});
  preflight.Start();
  loop.Run();
  outcome.asked = api.asked;
  outcome.warnings = warnings.lines;
  return outcome;
}

TEST(Preflight, TheNamespaceIsThere) {
  const Outcome outcome = Check({Plain(200, "{}")});
  EXPECT_EQ(outcome.end, "ready");
  EXPECT_EQ(outcome.asked, std::vector<std::string>{"namespaces/muster-system"});
  EXPECT_TRUE(outcome.warnings.empty());
}

TEST(Preflight, AsksAgainWhileTheServerIsNotThereAndSaysSo) {
  const Outcome outcome = Check(
      {Error{Code::kUnavailable, "no connection"}, Status(503, "starting"), Plain(200, "{}")});
  EXPECT_EQ(outcome.end, "ready");
  EXPECT_EQ(outcome.asked.size(), 3U);
  EXPECT_EQ(outcome.warnings,
            (std::vector<std::string>{"2waiting for the API serverno connection",
                                      "2waiting for the API server503 starting"}));
}

TEST(Preflight, APathThatIsNotServedIsNoMissingNamespace) {
  EXPECT_EQ(Check({Plain(404, "404 page not found\n"), Plain(200, "{}")}).end, "ready");
}

TEST(Preflight, MistakesOfTheSetUpEndTheProcessWithATextThatHelps) {
  struct Case {
    CallResult answer;
    std::string text;
  };
  const std::vector<Case> cases = {
      {Status(404, "namespaces not found"),
       "namespace \"muster-system\" does not exist: create it (kubectl create namespace "
       "muster-system) or name another with --namespace"},
      {Status(401, "Unauthorized"),
       "the API server does not accept our credentials: 401 Unauthorized"},
      {Status(403, "no rights"),
       "the API server does not allow Muster to read its namespace: 403 no rights"},
      {Error{Code::kInvalidArgument, "not a part of a path"}, "not a part of a path"},
  };
  for (const Case& c : cases) EXPECT_EQ(Check({c.answer}).end, c.text);
}

}  // namespace
}  // namespace muster::app
