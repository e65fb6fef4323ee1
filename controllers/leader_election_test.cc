#include "controllers/leader_election.h"

#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

using testing::ManualLoop;

// One Lease, with the rules of an API server, and what may happen to a request on its way.
class LeaseServer final : public ports::Api {
 public:
  enum class Fault : std::uint8_t { kNone, kNoAnswer, kLostRequest, kError };

  explicit LeaseServer(ports::Loop& loop) : loop_(loop) {}

  void AllowWritesUntil(Ticks) override {}
  void ListAndWatch(ports::Resource, Decode, Sink) override {}
  void Call(ports::Request request, Done done) override {
    EXPECT_EQ(request.resource.plural, "leases");
    EXPECT_EQ(request.lane, ports::Lane::kLease);
    log_.push_back(request.verb);
    if (const auto next = std::exchange(on_call_, nullptr)) next();
    const Fault fault = faults_.empty() ? standing_ : faults_.front();
    if (!faults_.empty()) faults_.pop_front();
    if (fault == Fault::kLostRequest) return;
    const ports::Response answer = Apply(request, fault);
    if (fault == Fault::kNoAnswer) return;
    loop_.Post([done, answer] { done(answer); });
  }

  void Store(crds::Lease lease) {
    lease.meta.resource_version = std::to_string(++version_);
    lease.body = R"({"metadata":{"resourceVersion":")" + lease.meta.resource_version + "\"}}";
    lease_ = std::move(lease);
  }
  // As another process does it.
  void HeldBy(const std::string& who, std::int64_t renewed_ms, std::int32_t seconds = 15) {
    crds::Lease lease;
    lease.holder = who;
    lease.duration_seconds = seconds;
    lease.renew_time = std::to_string(renewed_ms);
    lease.transitions = 4;
    Store(std::move(lease));
  }
  void Delete() { lease_.reset(); }
  [[nodiscard]] const std::optional<crds::Lease>& lease() const { return lease_; }
  void Next(Fault fault) { faults_.push_back(fault); }
  void Standing(Fault fault) { standing_ = fault; }
  void OnCall(std::function<void()> on_call) { on_call_ = std::move(on_call); }  // The next one.
  std::vector<ports::Verb> TakeLog() { return std::exchange(log_, {}); }

 private:
  ports::Response Apply(const ports::Request& request, Fault fault) {
    if (fault == Fault::kError) return {.status = 500, .body = "etcd", .retry_after_ms = {}};
    const auto refuse = [](std::int32_t code, const char* reason) {
      return ports::Response{.status = code,
                             .body = std::string(R"({"kind":"Status","reason":")") + reason + "\"}",
                             .retry_after_ms = {}};
    };
    if (request.verb == ports::Verb::kCreate) {
      if (lease_) return refuse(409, "AlreadyExists");
      return Write(request, 201);
    }
    if (!lease_) return refuse(404, "NotFound");
    if (request.verb == ports::Verb::kGet) return Answer(200);
    const auto sent = crds::DecodeLease(request.body);
    if (sent.value().meta.resource_version != lease_->meta.resource_version) {
      return refuse(409, "Conflict");
    }
    return Write(request, 200);
  }
  ports::Response Write(const ports::Request& request, std::int32_t code) {
    Store(crds::DecodeLease(request.body).value());
    return Answer(code);
  }
  ports::Response Answer(std::int32_t code) {
    return {.status = code, .body = crds::EncodeLease(*lease_), .retry_after_ms = {}};
  }

  ports::Loop& loop_;
  std::optional<crds::Lease> lease_;
  std::int64_t version_ = 0;
  std::deque<Fault> faults_;
  std::function<void()> on_call_;
  Fault standing_ = Fault::kNone;
  std::vector<ports::Verb> log_;
};

using Fault = LeaseServer::Fault;
using ports::Verb;

class LeaderElectorTest : public ::testing::Test {
 protected:
  // As long as a candidate waits at most between two looks.
  static constexpr std::int64_t kLook = 4'400;

  void Pass(std::int64_t ms) {
    loop_.Run();
    for (std::int64_t i = 0; i < ms; i += 100) {
      loop_.Advance(100);
      loop_.Run();
    }
  }
  void Lead() {
    server_.HeldBy("", 0);
    elector_.Start();
    loop_.Run();
    ASSERT_EQ(leading_, 1);
    (void)server_.TakeLog();
  }

  ManualLoop loop_;
  LeaseServer server_{loop_};
  testing::FakeTelemetry telemetry_;
  Writer writer_{server_, loop_, {}};
  int leading_ = 0;
  int standing_by_ = 0;
  bool created_ = false;
  std::vector<std::string> lost_;
  std::vector<std::int64_t> until_;
  LeaderElector elector_{{.writer = writer_,
                          .loop = loop_,
                          .telemetry = telemetry_,
                          .leading =
                              [this](bool created) {
                                ++leading_;
                                created_ = created;
                              },
                          .standing_by = [this] { ++standing_by_; },
                          .lost = [this](const std::string& why) { lost_.push_back(why); },
                          .renewed = [this](Ticks until) { until_.push_back(until.ms); }},
                         {.identity = "me"}};
};

TEST_F(LeaderElectorTest, MakesTheLeaseThatIsMissing) {
  elector_.Start();
  loop_.Run();
  EXPECT_EQ(leading_, 1);
  EXPECT_TRUE(created_);
  EXPECT_EQ(server_.TakeLog(), (std::vector{Verb::kGet, Verb::kCreate}));
  ASSERT_TRUE(server_.lease());
  EXPECT_EQ(server_.lease()->holder, "me");
  EXPECT_EQ(server_.lease()->duration_seconds, 15);
  EXPECT_EQ(server_.lease()->transitions, 0);
  EXPECT_EQ(server_.lease()->renew_time, "2026-09-01T00:00:00.250000Z");
}

TEST_F(LeaderElectorTest, TakesTheLeaseThatNobodyHolds) {
  server_.HeldBy("", 0);
  elector_.Start();
  loop_.Run();
  EXPECT_EQ(leading_, 1);
  EXPECT_FALSE(created_);
  EXPECT_EQ(standing_by_, 0);
  EXPECT_EQ(server_.lease()->transitions, 5);
}

// A container that was restarted is the same pod: its own lease needs no waiting.
TEST_F(LeaderElectorTest, GoesOnWithItsOwnLeaseAtOnce) {
  server_.HeldBy("me", 0);
  elector_.Start();
  loop_.Run();
  EXPECT_EQ(leading_, 1);
  EXPECT_EQ(server_.lease()->transitions, 4);
}

// What counts is how long it stands unchanged here, whatever time it names.
TEST_F(LeaderElectorTest, WaitsUntilTheLeaseOfAnotherStoodStillForItsDuration) {
  server_.HeldBy("other", -1'000'000'000);
  elector_.Start();
  Pass(14'900);
  EXPECT_EQ(leading_, 0);
  EXPECT_EQ(elector_.holder(), "other");
  EXPECT_EQ(standing_by_, 1);
  Pass(kLook + 200);
  EXPECT_EQ(leading_, 1);
  EXPECT_EQ(server_.lease()->holder, "me");
}

TEST_F(LeaderElectorTest, NeverTakesALeaseThatMoves) {
  elector_.Start();
  server_.HeldBy("other", 0);
  for (std::int64_t i = 0; i < 20; ++i) {
    server_.HeldBy("other", i);
    Pass(10'000);
  }
  EXPECT_EQ(leading_, 0);
}

TEST_F(LeaderElectorTest, RenewsEveryRetryPeriodWithOneRequest) {
  Lead();
  Pass(20'000);
  EXPECT_EQ(server_.TakeLog(), std::vector(10, Verb::kUpdate));
  EXPECT_EQ(until_.back(), ManualLoop::kMonoStartMs + 20'000 + 10'000);
  EXPECT_TRUE(lost_.empty());
}

// The write counts from when it was sent: when it took effect nobody knows.
TEST_F(LeaderElectorTest, CountsFromTheSendingOfTheRenewal) {
  Lead();
  EXPECT_EQ(until_, std::vector<std::int64_t>({ManualLoop::kMonoStartMs + 10'000}));
  server_.Standing(Fault::kNoAnswer);
  Pass(6'900);
  EXPECT_EQ(until_.size(), 1U);
}

TEST_F(LeaderElectorTest, LosesWithoutARenewalForTheDeadline) {
  for (const Fault fault : {Fault::kNoAnswer, Fault::kLostRequest, Fault::kError}) {
    if (lost_.empty()) {
      Lead();
      server_.Standing(fault);
      Pass(9'900);
      EXPECT_TRUE(lost_.empty());
      Pass(200);
    }
    ASSERT_EQ(lost_.size(), 1U);
    EXPECT_EQ(lost_[0], "the lease was not renewed for 10s");
  }
  server_.Standing(Fault::kNone);
  (void)server_.TakeLog();
  Pass(60'000);
  EXPECT_TRUE(server_.TakeLog().empty()) << "it sends on after the end";
}

TEST_F(LeaderElectorTest, OutlivesOneRequestThatHangs) {
  Lead();
  Pass(2'000);
  server_.Next(Fault::kLostRequest);
  Pass(60'000);
  EXPECT_TRUE(lost_.empty());
}

TEST_F(LeaderElectorTest, LosesAtOnceToAnotherHolder) {
  Lead();
  server_.HeldBy("other", 7);
  Pass(2'100);  // The renewal is refused by its resourceVersion.
  EXPECT_TRUE(lost_.empty());
  Pass(2'100);
  EXPECT_EQ(lost_, std::vector<std::string>{"the lease is held by other"});
}

TEST_F(LeaderElectorTest, GoesOnWhenItsLeaseWasDeletedByHand) {
  Lead();
  server_.Delete();
  Pass(10'000);
  EXPECT_TRUE(lost_.empty());
  ASSERT_TRUE(server_.lease());
  EXPECT_EQ(server_.lease()->holder, "me");
  EXPECT_EQ(leading_, 1);
}

TEST_F(LeaderElectorTest, GivesTheLeaseBack) {
  Lead();
  bool done = false;
  elector_.Release([&done] { done = true; });
  loop_.Run();
  EXPECT_TRUE(done);
  EXPECT_EQ(server_.lease()->holder, "");
  EXPECT_EQ(server_.lease()->duration_seconds, 1);
  (void)server_.TakeLog();
  Pass(20'000);
  EXPECT_TRUE(server_.TakeLog().empty());
  EXPECT_TRUE(lost_.empty());
}

// The renewal that was under way moved the Lease: it is given back as it is then.
TEST_F(LeaderElectorTest, GivesTheLeaseBackAfterTheRenewalThatIsUnderWay) {
  Lead();
  bool done = false;
  server_.OnCall([&] { elector_.Release([&done] { done = true; }); });
  Pass(2'100);
  EXPECT_TRUE(done);
  EXPECT_EQ(server_.lease()->holder, "");
  EXPECT_TRUE(lost_.empty());
}

TEST_F(LeaderElectorTest, GivesUpGivingBackWhenTheRenewalHasNoAnswer) {
  Lead();
  server_.Standing(LeaseServer::Fault::kLostRequest);
  loop_.Advance(2'100);
  bool done = false;
  elector_.Release([&done] { done = true; });
  EXPECT_FALSE(done);
  Pass(5'100);
  EXPECT_TRUE(done);
  EXPECT_EQ(server_.lease()->holder, "me");
}

TEST_F(LeaderElectorTest, SaysThatAnotherProcessHasItsIdentity) {
  Lead();
  const std::string text =
      "another process renews the lease under this identity; it must be one process's own";
  server_.Next(LeaseServer::Fault::kNoAnswer);  // A renewal of our own is none of another.
  Pass(20'000);
  EXPECT_FALSE(telemetry_.Logged(text));
  server_.HeldBy("me", 7);
  Pass(5'000);
  EXPECT_TRUE(telemetry_.Logged(text));
}

TEST_F(LeaderElectorTest, CountsItsTransitionsWithinTheirType) {
  crds::Lease lease;
  lease.transitions = std::numeric_limits<std::int32_t>::max();
  server_.Store(std::move(lease));
  elector_.Start();
  loop_.Run();
  ASSERT_EQ(leading_, 1);
  EXPECT_EQ(server_.lease()->transitions, 0);
}

TEST_F(LeaderElectorTest, ACandidateHasNothingToGiveBack) {
  server_.HeldBy("other", 0);
  elector_.Start();
  loop_.Run();
  bool done = false;
  elector_.Release([&done] { done = true; });
  EXPECT_TRUE(done);
  EXPECT_EQ(server_.lease()->holder, "other");
}

TEST(LeaderElection, SaysWhichDurationsCannotBe) {
  EXPECT_EQ(ProblemOf(LeaderElection{}), "");
  EXPECT_EQ(ProblemOf({.identity = "me", .lease_ms = 10'000}),
            "the lease duration (10s) must be longer than the renew deadline (10s)");
  EXPECT_EQ(ProblemOf({.identity = "me", .renew_deadline_ms = 2'400}),
            "the renew deadline (2s400ms) must be longer than 1.2 times the retry period (2s)");
  EXPECT_EQ(ProblemOf({.identity = "me", .retry_period_ms = 0}),
            "the retry period (0s) must be at least 1ms");
  EXPECT_EQ(
      ProblemOf(
          {.identity = "me", .lease_ms = 900, .renew_deadline_ms = 500, .retry_period_ms = 100}),
      "the lease duration (900ms) must be from 1s to 24h");
  EXPECT_EQ(ProblemOf({.identity = "me", .lease_ms = 90'000'000}),
            "the lease duration (25h) must be from 1s to 24h");
}

}  // namespace
}  // namespace muster::controllers
