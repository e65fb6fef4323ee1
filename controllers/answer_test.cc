#include "controllers/answer.h"

#include <gtest/gtest.h>

#include "controllers/testing/fake_api.h"

namespace muster::controllers {
namespace {

Verdict Of(std::int32_t status, std::string body) {
  return Judge(ports::Response{.status = status, .body = std::move(body), .retry_after_ms = {}});
}

TEST(Answer, IsJudgedByItsCodeFirst) {
  struct Case {
    std::int32_t status;
    std::string body;
    Outcome outcome;
  };
  const std::string no = testing::StatusBody("Some", "no");
  const std::vector<Case> cases = {
      {200, "{}", Outcome::kDone},
      {201, "not json", Outcome::kDone},
      {400, no, Outcome::kRefused},
      {401, no, Outcome::kUnknown},
      {403, no, Outcome::kRefused},
      {403, testing::NamespaceTerminatingBody(), Outcome::kTerminating},
      {404, no, Outcome::kGone},
      {404, "404 page not found\n", Outcome::kNotServed},
      {408, no, Outcome::kUnknown},
      {409, no, Outcome::kConflict},
      {413, no, Outcome::kRefused},
      {422, no, Outcome::kRefused},
      {422, testing::UidMismatchBody(), Outcome::kGone},
      {429, no, Outcome::kUnknown},
      {500, no, Outcome::kUnknown},
      {504, R"({"metadata":{},"status":"Failure","code":504})", Outcome::kUnknown},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Of(c.status, c.body).outcome, c.outcome) << c.status << " " << c.body;
  }
}

TEST(Answer, KeepsTheServersText) {
  EXPECT_EQ(Of(403, testing::StatusBody("Forbidden", "pods is forbidden")).text,
            "pods is forbidden");
  EXPECT_EQ(Of(502, "bad gateway").text, "bad gateway");
}

TEST(Answer, NoneMayHaveTakenEffect) {
  const Verdict verdict = Judge(Error{Code::kUnavailable, "closed"});
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict.code, 0);
}

}  // namespace
}  // namespace muster::controllers
