#include "controllers/leader_election.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "controllers/text.h"
#include "crds/time.h"

namespace muster::controllers {
namespace {

constexpr std::int64_t kLeaseMsMin = 1'000;
constexpr std::int64_t kLeaseMsMax = std::int64_t{24} * 3'600'000;

ports::Request LeaseRequest(ports::Verb verb, const LeaderElection& election) {
  ports::Request request;
  request.verb = verb;
  request.resource = {.group = "coordination.k8s.io", .version = "v1", .plural = "leases"};
  request.ns = election.ns;
  if (verb != ports::Verb::kCreate) request.name = election.name;
  request.lane = ports::Lane::kLease;
  return request;
}

}  // namespace

std::string ProblemOf(const LeaderElection& election) {
  if (election.lease_ms < kLeaseMsMin || election.lease_ms > kLeaseMsMax) {
    return "the lease duration (" + DurationText(election.lease_ms) + ") must be from " +
           DurationText(kLeaseMsMin) + " to " + DurationText(kLeaseMsMax);
  }
  if (election.lease_ms <= election.renew_deadline_ms) {
    return "the lease duration (" + DurationText(election.lease_ms) +
           ") must be longer than the renew deadline (" + DurationText(election.renew_deadline_ms) +
           ")";
  }
  if (election.retry_period_ms < 1) {
    return "the retry period (" + DurationText(election.retry_period_ms) + ") must be at least 1ms";
  }
  if (election.renew_deadline_ms * 5 <= election.retry_period_ms * 6) {
    return "the renew deadline (" + DurationText(election.renew_deadline_ms) +
           ") must be longer than 1.2 times the retry period (" +
           DurationText(election.retry_period_ms) + ")";
  }
  return {};
}

// A leader that knows what is stored writes at once: one request for each renewal.
void LeaderElector::Try() {
  if (state_ == State::kEnded) return;
  if (state_ == State::kLeader && current_) return Put(true);
  Get();
}

// One request at a time. One without an answer is given up after half of the renew deadline, so
// that a dead connection leaves time for another try.
void LeaderElector::Send(ports::Request request, Step step) {
  const std::uint64_t turn = ++turn_;
  open_ = true;
  const auto once = [this, turn, step](const Answer& answer) {
    if (turn != turn_ || !std::exchange(open_, false)) return;
    (this->*step)(answer);
    if (release_) GiveBack();
  };
  world_.writer.Submit(std::move(request), once);
  world_.loop.After(election_.renew_deadline_ms / 2, [once] {
    once(Error{Code::kDeadlineExceeded, "no answer within half of the renew deadline"});
  });
}

void LeaderElector::Get() {
  Send(LeaseRequest(ports::Verb::kGet, election_), &LeaderElector::OnRead);
}

void LeaderElector::OnRead(const Answer& answer) {
  const Verdict verdict = controllers::Judge(answer);
  if (verdict.outcome == Outcome::kGone) {
    seen_ = {};
    seen_.meta.ns = election_.ns;
    seen_.meta.name = election_.name;
    return Put(false);
  }
  if (verdict.outcome != Outcome::kDone) return Failed(verdict);
  auto lease = crds::DecodeLease(answer.value().body);
  if (!lease.ok()) {
    return Failed({.outcome = Outcome::kUnknown, .code = 200, .text = lease.error().message});
  }
  const bool ours = lease.value().holder == election_.identity;
  // Ours may have been stored without an answer, but none is later than the last that was sent.
  if (state_ == State::kLeader && ours && lease.value().renew_time > sent_renew_time_) {
    world_.telemetry.Log(
        ports::Level::kWarning,
        "another process renews the lease under this identity; it must be one process's own",
        {{"identity", election_.identity}});
  }
  Observe(std::move(lease).value());
  if (!HeldByAnother()) return Put(true);
  if (state_ == State::kLeader) return Lose("the lease is held by " + seen_.holder);
  if (!std::exchange(stood_by_, true)) world_.standing_by();
  TryLater();
}

// Anything that moved begins its time anew: whoever holds it lives.
void LeaderElector::Observe(crds::Lease lease) {
  const bool same = lease.holder == seen_.holder && lease.renew_time == seen_.renew_time &&
                    lease.acquire_time == seen_.acquire_time &&
                    lease.duration_seconds == seen_.duration_seconds &&
                    lease.transitions == seen_.transitions;
  if (!same || !seen_since_.has_value()) {
    if (state_ == State::kCandidate && lease.holder != seen_.holder) {
      world_.telemetry.Log(ports::Level::kInfo, "the lease is held", {{"by", lease.holder}});
    }
    seen_since_ = world_.loop.now().mono;
  }
  seen_ = std::move(lease);
}

bool LeaderElector::HeldByAnother() const {
  if (seen_.holder.empty() || seen_.holder == election_.identity) return false;
  if (state_ == State::kLeader) return true;
  const std::int64_t end = seen_since_->ms + std::int64_t{1'000} * seen_.duration_seconds;
  return world_.loop.now().mono.ms < end;
}

void LeaderElector::Put(bool exists) {
  crds::Lease next = seen_;
  const std::string now = crds::FormatMicroTime(world_.loop.now().wall.ms);
  if (next.holder != election_.identity) {
    // From the greatest on it begins again; nobody compares it.
    constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
    if (exists) next.transitions = next.transitions == kMax ? 0 : next.transitions + 1;
    next.acquire_time = now;
  }
  next.holder = election_.identity;
  next.duration_seconds = static_cast<std::int32_t>(election_.lease_ms / 1'000);
  next.renew_time = sent_renew_time_ = now;
  created_ = !exists;
  auto request = LeaseRequest(exists ? ports::Verb::kUpdate : ports::Verb::kCreate, election_);
  request.body = crds::EncodeLease(next);
  sent_ = world_.loop.now().mono;
  Send(std::move(request), &LeaderElector::OnWritten);
}

// No verdict but success counts: what a refused or unanswered write did, a GET shows.
void LeaderElector::OnWritten(const Answer& answer) {
  current_ = false;
  const Verdict verdict = controllers::Judge(answer);
  if (verdict.outcome != Outcome::kDone) return Failed(verdict);
  auto stored = crds::DecodeLease(answer.value().body);
  if (!stored.ok()) {
    return Failed({.outcome = Outcome::kUnknown, .code = 200, .text = stored.error().message});
  }
  seen_ = std::move(stored).value();
  seen_since_ = world_.loop.now().mono;
  current_ = true;
  renewed_ = sent_;
  world_.renewed(Ticks{renewed_.ms + election_.renew_deadline_ms});
  WatchDeadline();
  if (state_ == State::kCandidate) Lead(created_);
  TryLater();
}

void LeaderElector::Lead(bool created) {
  state_ = State::kLeader;
  world_.telemetry.Log(ports::Level::kInfo, "leading",
                       {{"lease", ports::ObjectRef{election_.ns, election_.name}},
                        {"identity", election_.identity},
                        {"created", created ? "true" : "false"}});
  world_.leading(created);
}

void LeaderElector::Failed(const Verdict& verdict) {
  world_.telemetry.Log(ports::Level::kWarning, "the lease was not renewed or read",
                       {{"answer", verdict.text}});
  TryLater();
}

void LeaderElector::WatchDeadline() {
  const std::int64_t end = renewed_.ms + election_.renew_deadline_ms;
  const std::int64_t left = end - world_.loop.now().mono.ms;
  world_.loop.After(std::max<std::int64_t>(left, 0), [this, at = renewed_] {
    if (state_ != State::kLeader || renewed_.ms != at.ms) return;
    Lose("the lease was not renewed for " + DurationText(election_.renew_deadline_ms));
  });
}

void LeaderElector::TryLater() {
  if (state_ == State::kEnded) return;
  std::int64_t wait = election_.retry_period_ms;
  if (state_ == State::kCandidate) {
    // Times 1 to 2.2: candidates must not come in step.
    const auto range = static_cast<std::uint64_t>(wait * 6 / 5 + 1);
    wait += static_cast<std::int64_t>(world_.loop.Random() % range);
  }
  world_.loop.After(wait, [this] { Try(); });
}

void LeaderElector::Lose(const std::string& why) {
  state_ = State::kEnded;
  world_.lost(why);
}

// What a renewal under way did is known when it is answered.
void LeaderElector::Release(std::function<void()> done) {
  release_ = std::move(done);
  if (!open_) GiveBack();
}

void LeaderElector::GiveBack() {
  std::function<void()> done = std::exchange(release_, nullptr);
  const bool held = std::exchange(state_, State::kEnded) == State::kLeader && current_;
  ++turn_;
  if (!held) return done();
  crds::Lease next = seen_;
  next.holder.clear();
  next.duration_seconds = 1;
  next.renew_time = next.acquire_time = crds::FormatMicroTime(world_.loop.now().wall.ms);
  auto request = LeaseRequest(ports::Verb::kUpdate, election_);
  request.body = crds::EncodeLease(next);
  world_.writer.Submit(std::move(request), [end = std::move(done)](const Answer&) { end(); });
}

}  // namespace muster::controllers
